// A development CA and the certificates that come of it: what is made, what is kept, and what is in the way.
// Nothing is written before all of it has been looked at.

import { randomBytes, X509Certificate } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import {
  type IssuedCertificate,
  issueCertificate,
  type NewCertificate,
} from '../../shared/trust/issue-certificate.js';
import { CommandError } from '../command-error.js';
import { writeWhole } from '../files/write.js';
import { findAuthority, findCertificate, pathsOf } from './found.js';
import { parseHost } from './hosts.js';

export interface DevelopmentOptions {
  readonly directory: string;
  /** How long certificates are valid; never longer than the CA. */
  readonly days: number;
  /** Names and addresses of the services, beside those of this machine. */
  readonly hosts: readonly string[];
  /** Makes anew what is there, but for the CA. */
  readonly force: boolean;
  readonly now: Date;
}

export interface DevelopmentFile {
  /** In the folder: `NAME.pem`, and `NAME-key.pem` beside it. */
  readonly name: string;
  readonly state: 'new' | 'renewed' | 'kept';
  readonly certificatePem: string;
}

export interface DevelopmentCertificates {
  readonly directory: string;
  readonly authority: DevelopmentFile;
  readonly members: readonly DevelopmentFile[];
}

const dayMs = 86_400_000;
/** For machines whose clocks are not quite of one mind. */
const backdatedMs = 5 * 60_000;
const authorityDays = 3650;

/** Who gets a certificate; services are reached by name, the others only reach out. */
const members = [
  { name: 'discovery', isService: true },
  { name: 'provisioner', isService: true },
  { name: 'operator', isService: false },
  { name: 'viewer', isService: false },
] as const;

type Member = (typeof members)[number];

/** @throws CommandError with a line for each thing that is in the way; nothing has been written then */
export async function makeDevelopmentCertificates(
  options: DevelopmentOptions,
): Promise<DevelopmentCertificates> {
  const { directory, force } = options;
  const authority = await findAuthority(directory, options.now);
  const found = await Promise.all(
    members.map(async (member) => ({
      member,
      kept: await findCertificate(directory, member.name, {
        authority: authority.certificatePem,
        hosts: member.isService ? options.hosts : [],
        now: options.now,
      }),
    })),
  );
  const missing = found.filter(({ kept }) => force || kept.kind === 'MISSING');
  const problems = [
    // A CA of which nothing is to be made may lack its key.
    ...(authority.problem !== undefined && missing.length > 0 ? [authority.problem] : []),
    ...found.flatMap(({ kept }) => (kept.kind === 'UNUSABLE' && !force ? [kept.problem] : [])),
  ];
  if (problems.length > 0) throw new CommandError(problems.join('\nslipway: '));

  await mkdir(directory, { recursive: true });
  const issuer = authority.certificatePem === undefined ? await newAuthority(options) : authority.issuer;
  const made: DevelopmentFile[] = [];
  for (const { member, kept } of found) {
    if (kept.kind === 'THERE' && !force) {
      made.push({ name: member.name, state: 'kept', certificatePem: kept.certificatePem });
    } else if (issuer !== undefined) {
      const issued = await issueCertificate(certificateOf(member, issuer, options), issuer);
      await writePair(directory, member.name, issued, true);
      const state = kept.kind === 'MISSING' ? 'new' : 'renewed';
      made.push({ name: member.name, state, certificatePem: issued.certificatePem });
    }
  }
  const certificatePem = authority.certificatePem ?? issuer?.certificatePem ?? '';
  const state = authority.certificatePem === undefined ? 'new' : 'kept';
  return { directory, authority: { name: 'ca', state, certificatePem }, members: made };
}

async function newAuthority({ directory, now }: DevelopmentOptions): Promise<IssuedCertificate> {
  const issued = await issueCertificate({
    // A name of its own: who looks issuers up by name never mixes up two development CAs.
    commonName: `Slipway development CA ${randomBytes(4).toString('hex')}`,
    ...validity(now, authorityDays),
    ca: true,
  });
  await writePair(directory, 'ca', issued, false);
  return issued;
}

function certificateOf(
  { name, isService }: Member,
  issuer: IssuedCertificate,
  { hosts, days, now }: DevelopmentOptions,
): NewCertificate {
  const wanted = { commonName: name, ...validity(now, days, issuer), uris: [`slipway:role:${name}`] };
  if (!isService) return { ...wanted, usages: ['clientAuth'] };
  const all = ['localhost', name, '127.0.0.1', '::1', ...hosts].map(parseHost);
  const ofKind = (kind: 'DNS' | 'IP') => [
    ...new Set(all.flatMap((host) => (host?.kind === kind ? [host.name] : []))),
  ];
  return { ...wanted, dns: ofKind('DNS'), ips: ofKind('IP'), usages: ['serverAuth', 'clientAuth'] };
}

function validity(
  now: Date,
  days: number,
  issuer?: IssuedCertificate,
): Pick<NewCertificate, 'notBefore' | 'notAfter'> {
  const notAfter = now.getTime() + days * dayMs;
  const latest =
    issuer === undefined ? notAfter : Date.parse(new X509Certificate(issuer.certificatePem).validTo);
  return {
    notBefore: new Date(now.getTime() - backdatedMs),
    notAfter: new Date(Math.min(notAfter, latest)),
  };
}

/** The key first: what watches the certificate finds the key that belongs to it. */
async function writePair(
  directory: string,
  name: string,
  { certificatePem, keyPem }: IssuedCertificate,
  force: boolean,
): Promise<void> {
  const { certificate, key } = pathsOf(directory, name);
  await writeWhole({ path: key, text: keyPem, isPrivate: true }, force);
  await writeWhole({ path: certificate, text: certificatePem, isPrivate: false }, force);
}
