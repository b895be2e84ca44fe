// How faults are written: `[IDENTITY/]RPC:KIND[:VALUE][:PROBABILITY][:xTIMES]`, several with commas between them.

import { status } from '@grpc/grpc-js';
import { suggestion } from '../../../shared/config/nearest.js';
import { durationMs, formatDuration } from '../../../shared/durations.js';
import { type Effect, effectKinds, type Fault, onlyFor, rpcWords } from './fault.js';

/** What was written is no fault. The message names the item, what was expected and what was probably meant. */
class FaultSyntaxError extends Error {
  override readonly name = 'FaultSyntaxError';
}

/** Long enough for every timeout there is, short enough for a timer: milliseconds. */
const longestDelayMs = 86_400_000;

const shape = '[IDENTITY/]RPC:KIND[:VALUE][:PROBABILITY][:xTIMES]';

type ErrorCode = Extract<Effect, { readonly kind: 'error' }>['code'];

const errorCodes = Object.keys(status).filter(
  (name): name is ErrorCode => /^[A-Z_]+$/.test(name) && name !== 'OK',
);

export interface ParsedFaults {
  readonly faults: readonly Fault[];
  /** A line for each item that is no fault. */
  readonly problems: readonly string[];
}

/** Reads faults with commas between them. */
export function parseFaults(list: string): ParsedFaults {
  const faults: Fault[] = [];
  const problems: string[] = [];
  for (const item of list.split(',')) {
    try {
      faults.push(parseFault(item.trim()));
    } catch (error) {
      if (!(error instanceof FaultSyntaxError)) throw error;
      problems.push(error.message);
    }
  }
  return { faults, problems };
}

/**
 * Reads one fault.
 *
 * @throws FaultSyntaxError
 */
export function parseFault(item: string): Fault {
  const refuse = (what: string): never => {
    throw new FaultSyntaxError(`${quote(item)}: ${what}`);
  };
  if (item === '') refuse(`expected ${shape}`);
  const slash = item.indexOf('/');
  const identity = slash < 0 ? '*' : item.slice(0, slash).toLowerCase();
  if (!/^[a-z0-9._*-]{1,253}$/.test(identity)) {
    refuse(
      `expected a node's name before "/", of a-z, 0-9, ".", "_" and "-", in which * stands for anything`,
    );
  }
  const [rpcText = '', kindText = '', ...rest] = item.slice(slash + 1).split(':');
  const rpc =
    rpcText === '*' ? rpcText : (rpcWords.find((word) => word === rpcText) ?? refuse(noSuch('RPC', rpcText)));
  const kind =
    effectKinds.find((word) => word === kindText) ??
    refuse(kindText === '' ? `expected ${shape}` : noSuch('kind', kindText));
  const only = onlyFor[kind];
  if (only !== undefined && rpc !== only) refuse(`${kind} goes with ${only} alone`);
  const effect = parseEffect(kind, rest, refuse);
  const { probability, times } = parseLimits(rest, refuse);
  return { identity, rpc, effect, probability, times };
}

/** Writes a fault in the one way that {@link parseFault} reads as the same. */
export function formatFault({ identity, rpc, effect, probability, times }: Fault): string {
  return [
    identity === '*' ? rpc : `${identity}/${rpc}`,
    formatEffect(effect),
    ...(probability === 1 ? [] : [decimal(probability)]),
    ...(times === Number.POSITIVE_INFINITY ? [] : [`x${times}`]),
  ].join(':');
}

/** Writes what a fault does: `delay:2s`. */
export function formatEffect(effect: Effect): string {
  switch (effect.kind) {
    case 'delay':
      return `delay:${formatDuration(effect.delayMs)}`;
    case 'error':
      return `error:${effect.code}`;
    default:
      return effect.kind;
  }
}

/** Writes all of them as one list: what a log says of them. */
export function formatFaults(faults: readonly Fault[]): string {
  return faults.length === 0 ? 'none' : faults.map(formatFault).join(', ');
}

/** Takes the value, where the kind has one, from what follows it. */
function parseEffect(kind: Effect['kind'], rest: string[], refuse: (what: string) => never): Effect {
  switch (kind) {
    case 'delay': {
      const delayMs = readDelay(rest.shift() ?? '', refuse);
      if (delayMs > longestDelayMs) refuse(`a delay is at most ${formatDuration(longestDelayMs)}`);
      return { kind, delayMs };
    }
    case 'error': {
      const name = rest.shift() ?? '';
      const code = errorCodes.find((each) => each === name);
      return { kind, code: code ?? refuse(noSuch('code', name)) };
    }
    default:
      return { kind };
  }
}

function readDelay(text: string, refuse: (what: string) => never): number {
  try {
    return durationMs(text);
  } catch (error) {
    return refuse(`delay: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function parseLimits(rest: string[], refuse: (what: string) => never): Pick<Fault, 'probability' | 'times'> {
  const isTimes = (text: string | undefined) => text?.startsWith('x') ?? false;
  const probability = rest.length === 0 || isTimes(rest[0]) ? '1' : (rest.shift() ?? '');
  if (!/^(?:0|1|1\.0{1,9}|0?\.\d{1,9})$/.test(probability)) {
    refuse(`expected a probability from 0 to 1, or xTIMES such as x3, got ${quote(probability)}`);
  }
  const times = rest.shift();
  if (times !== undefined && !/^x[1-9]\d{0,8}$/.test(times)) {
    refuse(`expected xTIMES, such as x1 for once a node, got ${quote(times)}`);
  }
  if (rest.length > 0) refuse(`nothing is expected after ${times}, got ${quote(rest.join(':'))}`);
  return {
    probability: Number(probability),
    times: times === undefined ? Number.POSITIVE_INFINITY : Number(times.slice(1)),
  };
}

const known = {
  RPC: [...rpcWords, '*' as const],
  kind: effectKinds,
  code: errorCodes,
} satisfies Record<string, readonly string[]>;

function noSuch(what: keyof typeof known, word: string): string {
  const expected = `expected ${articleOf[what]} ${what}, one of ${known[what].join(', ')}`;
  return `${expected}, got ${quote(word)}${suggestion(word, known[what])}`;
}

const articleOf = { RPC: 'an', kind: 'a', code: 'a' } as const;

/** Without an exponent, as {@link parseLimits} reads it. */
function decimal(probability: number): string {
  return probability.toFixed(9).replace(/\.?0+$/, '');
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);
}
