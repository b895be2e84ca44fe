// A token in words, for people. It may come from anywhere: nothing in it reaches the terminal as it is.

import { formatDuration } from '../../shared/durations.js';
import { printable } from '../../shared/printable.js';
import { timeClaim, timeText } from '../../shared/trust/claims.js';
import type { OpenedToken } from '../../shared/trust/compact-token.js';

/** What the claims mean whose names do not say it. */
const meanings: Readonly<Record<string, string>> = {
  cht: 'provisioning secret',
  chs: 'brokers over TLS only',
  chu: 'brokers',
  chsrv: 'domain of the brokers',
  chpd: 'provisioning by default',
  chrd: 'registration file',
  chf: 'facts file',
  chusr: 'user name at the brokers',
  chpwd: 'password at the brokers',
  ou: 'organisation',
  v2: 'protocol version 2',
  update: 'may be upgraded',
  tcs: 'chain of issuers',
  iss: 'issuer',
  sub: 'subject',
  exp: 'expires',
  nbf: 'valid from',
  iat: 'made',
  issexp: 'issuer expires',
  jti: 'id',
};

const times: readonly string[] = ['exp', 'nbf', 'iat', 'issexp'];

const kinds: Readonly<Record<string, string>> = {
  choria_provisioning: 'provisioning token: what a node boots with',
  choria_server: 'server token: what a provisioned node proves itself with',
  choria_client_id: 'client token: of a person, or of who signs for others',
};

/** @returns a line for each claim, with what it means */
export function describeToken({ algorithm, claims }: OpenedToken, now: Date): string {
  const purpose = String(claims.get('purpose') || claims.get('sub') || '');
  const kind = kinds[purpose] ?? `token of another purpose: ${printable(purpose)}`;
  const lines = [...claims].map(([name, value]) => {
    const meaning = meanings[name] ?? '';
    return `${printable(name).padEnd(12)}  ${meaning.padEnd(24)}  ${describeValue(name, value, now)}`.trimEnd();
  });
  return [
    kind,
    `signed with ${printable(algorithm)}; nothing of it has been verified`,
    '',
    ...lines,
    '',
  ].join('\n');
}

function describeValue(name: string, value: unknown, now: Date): string {
  const seconds = times.includes(name) ? secondsOf(name, value) : undefined;
  if (seconds === undefined) return printable(typeof value === 'string' ? value : JSON.stringify(value));
  const fromNow = seconds * 1000 - now.getTime();
  const distance = formatDuration(roundTo(Math.abs(fromNow)));
  return `${timeText(seconds)} (${fromNow < 0 ? `${distance} ago` : `in ${distance}`})`;
}

function secondsOf(name: string, value: unknown): number | undefined {
  try {
    return timeClaim(new Map([[name, value]]), name);
  } catch {
    return undefined;
  }
}

/** Days do for what is days away. */
function roundTo(ms: number): number {
  const unit = ms > 172_800_000 ? 86_400_000 : ms > 7_200_000 ? 3_600_000 : 1000;
  return Math.floor(ms / unit) * unit;
}
