// What is said at the end: how many nodes came up, and why the others did not, with an example of each reason
// from the provisioner's log.

import { printable } from '../../shared/printable.js';
import type { Progress } from './progress.js';

export interface DemoResult {
  readonly nodes: number;
  readonly progress: Progress;
  readonly seconds: number;
  /** Whether it was cut short: a signal, or nothing changed for too long. */
  readonly cut: 'INTERRUPTED' | 'STUCK' | undefined;
}

const mostReasons = 5;

/**
 * @param log the provisioner's log, JSON lines
 * @returns lines for people
 */
export function summaryLines({ nodes, progress, seconds, cut }: DemoResult, log: string): string[] {
  const { confirmed, failedRuns, missed, shutDown, deferredRuns, reasons } = progress;
  const lines = [`${confirmed} of ${nodes} nodes confirmed in ${seconds.toFixed(1)} s`];
  if (cut === 'INTERRUPTED') lines.push('interrupted');
  if (cut === 'STUCK') lines.push('given up: nothing has changed for a minute');
  if (missed > 0) lines.push(`${missed} were configured and not seen to come up with it`);
  if (shutDown > 0) lines.push(`${shutDown} were shut down, as the helper asked`);
  if (deferredRuns > 0) lines.push(`${deferredRuns} runs were put off, as the helper or the node asked`);
  if (failedRuns === 0) return lines;
  lines.push(`${failedRuns} runs failed:`);
  const examples = failureExamples(log);
  const byCount = [...reasons].sort(([, a], [, b]) => b - a);
  for (const [reason, count] of byCount.slice(0, mostReasons)) {
    const example = examples.get(reason);
    lines.push(`  ${count} × ${reason}${example === undefined ? '' : `, the last: ${example}`}`);
  }
  if (byCount.length > mostReasons) lines.push(`  and ${byCount.length - mostReasons} more reasons`);
  return lines;
}

/** The last failed run of each reason: its node and message. */
function failureExamples(log: string): Map<string, string> {
  const examples = new Map<string, string>();
  for (const line of log.split('\n')) {
    if (!line.includes('"outcome":"FAILED"')) continue;
    const { reason, identity, message } = parseLine(line);
    examples.set(String(reason), printable(`${identity}: ${firstAndLastLine(String(message))}`));
  }
  return examples;
}

/** What a program writes as it fails begins with what failed and ends with why. */
function firstAndLastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length < 2 ? text.trim() : `${lines.at(0)} … ${lines.at(-1)?.trim()}`;
}

/** A line that was cut off when its writer died says nothing. */
function parseLine(line: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line);
  } catch {
    return {};
  }
}
