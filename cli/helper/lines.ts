// The result of a trial of the helper: how a run would end first, then what the helper did.

import type { HelperReply, TestHelperResponse } from '../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { printable } from '../../shared/printable.js';
import { count } from '../text/count.js';
import { type Fact, facts } from '../text/facts.js';
import { wireSpan } from '../text/moments.js';
import { paint, retext, textOf } from '../text/paint.js';
import type { View } from '../text/view.js';
import { tonedOutcome } from '../words/outcomes.js';
import { meaningOf } from '../words/reasons.js';

/** @returns lines; what the reply does not have is left out */
export function helperLines(response: TestHelperResponse, view: View): string[] {
  const outcome = tonedOutcome(response);
  const meaning = meaningOf(response.reason);
  return [
    paint(
      retext(outcome, `a run would end as ${textOf(outcome)}${meaning === '' ? '' : ` (${meaning})`}`),
      view,
    ),
    ...facts(
      [
        ['because', printable(response.message)],
        ['helper', `took ${wireSpan(response.duration)}${exitWords(response.exitCode)}`],
        ['release', printable(response.currentVersion)],
        ...(response.reply === undefined ? [] : replyFacts(response.reply)),
        ['token', response.serverClaimsJson === '' ? '' : printable(response.serverClaimsJson)],
        ['odd', response.warnings.map((text) => ({ text: printable(text), tone: 'busy' }) as const)],
        ['stderr', linesOf(response.stderr)],
      ],
      view,
    ),
  ];
}

function exitWords(code: number): string {
  return code < 0 ? '' : `, exit code ${code}`;
}

function replyFacts(reply: HelperReply): Fact[] {
  const wishes = [
    ...(reply.defer ? ['to be asked later'] : []),
    ...(reply.shutdown ? ['the node stopped'] : []),
  ];
  const key = reply.hasKey ? ['a private key'] : [];
  const certificate = reply.certificate === '' ? [] : ['a certificate'];
  const ca = reply.ca === '' ? [] : ['certificate authorities'];
  return [
    ['wants', wishes.join(', ')],
    ['says', printable(reply.msg)],
    ['ask again in', wireSpan(reply.retryAfter)],
    ['upgrade', printable(reply.upgrade)],
    ['gives', [...key, ...certificate, ...ca].join(', ')],
    ['ssl folder', printable(reply.sslDir)],
    [
      'configuration',
      Object.entries(reply.configuration).map(([name, value]) => `${printable(name)} = ${printable(value)}`),
    ],
    ['policies', policyWords(reply)],
  ];
}

function policyWords({ actionPolicies, opaPolicies }: HelperReply): string {
  const all = [...Object.keys(actionPolicies), ...Object.keys(opaPolicies)];
  return all.length === 0 ? '' : `${count(all.length, 'file')}: ${all.map(printable).join(', ')}`;
}

function linesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(printable);
}
