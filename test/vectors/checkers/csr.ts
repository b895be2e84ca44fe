// csr.json: certificate signing requests of nodes under a deny list. What is rejected must be so for its own reason.

import { z } from 'zod';
import { checkCsr } from '../../../services/provisioner/enrolment/csr.js';
import { parseDenyList } from '../../../services/provisioner/enrolment/deny-list.js';
import { CsrError, type CsrFault } from '../../../services/provisioner/enrolment/request/csr-error.js';
import { checker, type Verdict } from '../checker.js';

const shape = z.object({
  name: z.string(),
  identity: z.string(),
  csr: z.string(),
  expected: z.enum(['accept', 'reject']),
  /** A hint for people: it names the rule and quotes no message. */
  reason: z.string(),
});

type Sample = z.output<typeof shape>;

export const csr = checker(shape, ({ name }) => name, check, {
  cases: 'samples',
  shape: z.object({ deny_list: z.array(z.string()) }),
});

/** Which faults a hint stands for; the first that fits counts, so that the closer ones come first. */
const hints: readonly { readonly words: RegExp; readonly faults: readonly CsrFault[] }[] = [
  // It also names the name, which the message must do too.
  { words: /^denied/, faults: ['DENIED'] },
  { words: /more than one PEM|two PEM/i, faults: ['PEM'] },
  { words: /trailing/, faults: ['TRAILING_DATA'] },
  { words: /duplicate extension/, faults: ['DUPLICATE_EXTENSION', 'EXTENSION_ATTRIBUTE'] },
  { words: /extension (attribute|request)/, faults: ['EXTENSION_ATTRIBUTE'] },
  { words: /extension|CA:TRUE|basic constraints|key usage/i, faults: ['EXTENSION'] },
  { words: /exactly one CN|no CN|empty subject/i, faults: ['COMMON_NAME_COUNT'] },
  { words: /cn mismatch/i, faults: ['COMMON_NAME'] },
  { words: /sha-?1|md5|signature algorithm|weak/i, faults: ['SIGNATURE_ALGORITHM'] },
  { words: /signature/, faults: ['SIGNATURE'] },
  { words: /key/, faults: ['KEY'] },
  { words: /bad name|host name|wildcard/i, faults: ['NAME', 'NAME_TYPE'] },
  {
    words: /\b(san|name) type|only dns|not (a )?dns|\b(ip|uri|email|other) ?(san|address|name)?\b/i,
    faults: ['NAME_TYPE'],
  },
  { words: /PEM/i, faults: ['PEM'] },
  { words: /too (large|big|long)|size/i, faults: ['TOO_LARGE'] },
  { words: /malformed|parse|syntax|der|asn/i, faults: ['MALFORMED', 'PEM'] },
];

function check(sample: Sample, file: { readonly deny_list: readonly string[] }): Verdict {
  const denyList = parseDenyList(file.deny_list);
  try {
    checkCsr(sample.csr, sample.identity, denyList);
  } catch (error) {
    if (!(error instanceof CsrError)) throw error;
    return rejected(sample, error);
  }
  if (sample.expected === 'accept') return { kind: 'PASSED' };
  return { kind: 'FAILED', message: `expected it to be rejected (${sample.reason}), and it was accepted` };
}

function rejected({ expected, reason }: Sample, { fault, message }: CsrError): Verdict {
  const got = `it was rejected as ${fault}: ${message}`;
  if (expected === 'accept') return { kind: 'FAILED', message: `expected it to be accepted, and ${got}` };
  const hint = hints.find(({ words }) => words.test(reason));
  if (hint === undefined)
    return { kind: 'PASSED', note: 'a hint of a reason that is not known was not compared' };
  const denied = /^denied: (.+)$/.exec(reason)?.[1];
  const named = denied === undefined || message.includes(JSON.stringify(denied));
  if (hint.faults.includes(fault) && named) return { kind: 'PASSED' };
  return { kind: 'FAILED', message: `expected it to be rejected for ${reason}, and ${got}` };
}
