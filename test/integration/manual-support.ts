// Reads the manual as what its tests compare with the code: tables under headings, and links.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** One line of a table, cell by cell. */
export type Row = readonly string[];

/** One page of the manual. */
export class Page {
  /** Relative to the project. */
  readonly path: string;
  readonly #lines: readonly string[];

  constructor(path: string) {
    this.path = path;
    this.#lines = withoutCode(readFileSync(join(root, path), 'utf8'));
  }

  /** All of it but blocks of code. */
  get text(): string {
    return this.#lines.join('\n');
  }

  /** The rows of all tables under a heading, without those that head them. */
  rowsUnder(heading: string): Row[] {
    return this.tablesUnder(heading).flatMap(([, ...rows]) => rows);
  }

  /** The tables under a heading, each with the row that heads it first. */
  tablesUnder(heading: string): Row[][] {
    const tables: Row[][] = [];
    const lines = this.#linesUnder(heading);
    for (const [index, line] of lines.entries()) {
      if (!isRow(line) || isRule(line)) continue;
      const row = line.split('|').map((cell) => cell.trim());
      if (isRule(lines[index + 1] ?? '')) tables.push([]);
      tables.at(-1)?.push(row.slice(1, -1));
    }
    return tables;
  }

  /** What stands in backticks in the first cells under a heading. */
  namesUnder(heading: string): string[] {
    return this.rowsUnder(heading).flatMap(([first = '']) => quoted(first));
  }

  /** Where links lead that lead nowhere. Links to the world outside are not followed. */
  brokenLinks(): string[] {
    const targets = this.#lines.flatMap((line) =>
      [...line.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target),
    );
    return targets.filter((target) => !/^https?:/.test(target) && !this.#leadsSomewhere(target));
  }

  hasAnchor(anchor: string): boolean {
    return this.#lines.some((line) => /^#+ /.test(line) && anchorOf(line) === anchor);
  }

  #linesUnder(heading: string): readonly string[] {
    const start = this.#lines.indexOf(`## ${heading}`);
    if (start < 0) throw new Error(`${this.path} has no heading "${heading}"`);
    const rest = this.#lines.slice(start + 1);
    const end = rest.findIndex((line) => line.startsWith('## '));
    return rest.slice(0, end < 0 ? rest.length : end);
  }

  #leadsSomewhere(target: string): boolean {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? this.path : relative(root, resolve(root, dirname(this.path), path));
    if (!existsSync(join(root, file))) return false;
    return anchor === undefined || new Page(file).hasAnchor(anchor);
  }
}

/** Every page there is. */
export function allPages(): Page[] {
  const under = ['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const files = ['README.md', 'CHANGELOG.md', ...under.filter((name) => name.endsWith('.md'))];
  return files.map((file) => new Page(file));
}

/** What stands in backticks in a text. */
export function quoted(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, inner = '']) => inner);
}

function withoutCode(markdown: string): string[] {
  return markdown.replaceAll(/^```.*?^```$/gms, '').split('\n');
}

function isRow(line: string): boolean {
  return line.startsWith('|');
}

function isRule(line: string): boolean {
  return /^\|[-| ]+\|$/.test(line);
}

/** As web sites make anchors of headings. */
function anchorOf(heading: string): string {
  return heading
    .replace(/^#+ /, '')
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}
