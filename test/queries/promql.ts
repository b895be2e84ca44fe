// Reads PromQL as far as tests ask: which series a query selects, through which functions, and by which labels it
// groups. What it gives, and the order of operators, it leaves to Prometheus.

export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '!=' | '=~' | '!~';
  readonly value: string;
}

export interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
  /** The function or aggregation that it is given to at once; empty where there is none. */
  readonly function: string;
}

/** Labels that all series of the selectors need to have, or the query means something else than it says. */
export interface Grouping {
  readonly labels: readonly string[];
  readonly selectors: readonly Selector[];
}

export interface Query {
  readonly selectors: readonly Selector[];
  readonly groupings: readonly Grouping[];
}

const token =
  /\s*(?:("(?:[^"\\]|\\.)*")|([a-zA-Z_:][\w:]*)|([\d.]+\w*)|(=~|!~|[=!<>]=|[-+*/%^<>=(){}[\],]))/y;
const operators = ['+', '-', '*', '/', '%', '^', '==', '!=', '<', '>', '<=', '>=', 'and', 'or', 'unless'];

/** @throws Error that says what cannot be read, and where */
export function readQuery(text: string): Query {
  return new Reader(text).query();
}

class Reader {
  readonly #text: string;
  readonly #tokens: readonly string[];
  readonly #selectors: Selector[] = [];
  readonly #groupings: Grouping[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#tokens = tokensOf(text);
  }

  query(): Query {
    this.#expression('');
    if (this.#next !== undefined) this.#fail('the end');
    return { selectors: this.#selectors, groupings: this.#groupings };
  }

  #expression(within: string): void {
    const first = this.#selectors.length;
    this.#operand(within);
    while (this.#next !== undefined && operators.includes(this.#next)) {
      this.#take();
      this.#accept('bool');
      const labels = this.#next === 'on' || this.#next === 'ignoring' ? this.#modifier() : undefined;
      if (this.#next?.startsWith('group_')) this.#modifier();
      this.#operand(within);
      if (labels !== undefined) this.#group(labels, first);
    }
  }

  #operand(within: string): void {
    this.#accept('-');
    const next = this.#take();
    if (next === '(') {
      this.#expression(within);
      this.#expect(')');
    } else if (isName(next) && this.#next === '{') this.#selector(next, within);
    else if (isName(next) && (this.#next === '(' || this.#next === 'by')) this.#call(next);
    else if (isName(next)) this.#selector(next, within);
    else if (!/^[\d."]/.test(next)) this.#fail('a metric, a function or a number', -1);
    if (this.#accept('[')) {
      while (this.#take() !== ']');
    }
  }

  #call(name: string): void {
    const first = this.#selectors.length;
    const before = this.#next === 'by' ? this.#modifier() : undefined;
    this.#expect('(');
    while (!this.#accept(')')) {
      this.#expression(name);
      this.#accept(',');
    }
    const labels = this.#next === 'by' ? this.#modifier() : before;
    if (labels !== undefined) this.#group(labels, first);
  }

  #selector(metric: string, within: string): void {
    const matchers: Matcher[] = [];
    if (this.#accept('{')) {
      while (!this.#accept('}')) {
        const label = this.#take();
        const found = this.#take();
        const operator = isMatch(found) ? found : this.#fail('=, !=, =~ or !~', -1);
        matchers.push({ label, operator, value: this.#take().slice(1, -1) });
        this.#accept(',');
      }
    }
    this.#selectors.push({ metric, matchers, function: within });
  }

  /** The labels behind by, on, ignoring or group_left; of those that name what does not count: none. */
  #modifier(): string[] {
    const word = this.#take();
    const labels: string[] = [];
    this.#expect('(');
    while (!this.#accept(')')) {
      labels.push(this.#take());
      this.#accept(',');
    }
    return word === 'ignoring' ? [] : labels;
  }

  #group(labels: readonly string[], first: number): void {
    this.#groupings.push({ labels, selectors: this.#selectors.slice(first) });
  }

  get #next(): string | undefined {
    return this.#tokens[this.#at];
  }

  #take(): string {
    const next = this.#next ?? this.#fail('more');
    this.#at += 1;
    return next;
  }

  #accept(wanted: string): boolean {
    const there = this.#next === wanted;
    if (there) this.#at += 1;
    return there;
  }

  #expect(wanted: string): void {
    if (!this.#accept(wanted)) this.#fail(wanted);
  }

  #fail(wanted: string, back = 0): never {
    const found = this.#tokens[this.#at + back] ?? 'nothing';
    throw new Error(`${this.#text}: token ${this.#at + back + 1} should be ${wanted}, and is ${found}`);
  }
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < text.trimEnd().length) {
    const at = token.lastIndex;
    const match = token.exec(text);
    if (match === null) throw new Error(`${text}: character ${at + 1} cannot be read`);
    tokens.push(match[0].trim());
  }
  return tokens;
}

function isName(text: string): boolean {
  return /^[a-zA-Z_:]/.test(text);
}

function isMatch(text: string): text is Matcher['operator'] {
  return ['=', '!=', '=~', '!~'].includes(text);
}
