// slipway token verify: whether a token is to be believed, by the rules that the services go by.

import { type Command, Option } from 'commander';
import { systemClock } from '../../shared/clock.js';
import { printable } from '../../shared/printable.js';
import { textClaim, timeText } from '../../shared/trust/claims.js';
import { openToken } from '../../shared/trust/compact-token.js';
import { provisioningPurpose, verifyProvisioningToken } from '../../shared/trust/provisioning-token.js';
import { verifyServerToken } from '../../shared/trust/server-token.js';
import { isSignedBySeed } from '../../shared/trust/signed-by-seed.js';
import { TrustError } from '../../shared/trust/trust-error.js';
import type { VerificationKey } from '../../shared/trust/verification-key.js';
import { VerificationKeySource } from '../../shared/trust/verification-key-source.js';
import { CommandError, UsageError } from '../command-error.js';
import { readText } from '../files/read.js';
import type { Terminal } from '../terminal.js';

const purposes = ['provisioning', 'server'] as const;

type Purpose = (typeof purposes)[number];

export function addVerifyCommand(token: Command, terminal: Terminal): void {
  token
    .command('verify')
    .description('Verifies a provisioning token or a server token, as the services do.')
    .argument('<FILE>', 'the token; "-" for standard input')
    .requiredOption(
      '--key <KEY>',
      'the public key: a file, or an ed25519 key in hex; of a server token that of the organisation, of a provisioning token that of the site (jwt_verify_cert)',
    )
    .addOption(new Option('--purpose <PURPOSE>', 'what it must be for (what it says)').choices([...purposes]))
    .addHelpText('after', '\nExit codes: 0 valid, 1 not valid, 2 it could not be tried.')
    .action(async (file: string, options: Options) => {
      const text = await readText(file, 'the token', terminal);
      const key = await openKey(options.key);
      try {
        terminal.out(`valid: ${printable(await verify(text, key, options.purpose, terminal.now()))}\n`);
      } catch (error) {
        if (!(error instanceof TrustError)) throw error;
        if (error.fault === 'SIGNATURE' && (await isSignedBySeed(text, key))) {
          throw new UsageError('--key: this is the private key of whoever signed; give its public key');
        }
        throw new CommandError(`not valid, ${error.fault}: ${error.message}`);
      }
    });
}

interface Options {
  readonly key: string;
  readonly purpose?: Purpose;
}

async function openKey(setting: string): Promise<VerificationKey> {
  try {
    const source = await VerificationKeySource.open(setting, { clock: systemClock, warn: () => {} });
    return await source.current();
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    throw new UsageError(`--key: ${error.message}`);
  }
}

/** @returns what it is, for people; @throws TrustError */
async function verify(
  text: string,
  key: VerificationKey,
  wanted: Purpose | undefined,
  date: Date,
): Promise<string> {
  const now = date.getTime() / 1000;
  if ((wanted ?? statedPurpose(text)) === 'provisioning') {
    const { expiresAt } = await verifyProvisioningToken(text, key, now);
    return `a provisioning token, ${endOf(expiresAt)}`;
  }
  const { identity, expiresAt } = await verifyServerToken(text, key, now);
  return `a server token of ${identity}, ${endOf(expiresAt)}`;
}

function endOf(expiresAt: number | undefined): string {
  return expiresAt === undefined ? 'without end' : `until ${timeText(expiresAt)}`;
}

/** What it says it is for; what is said so is verified afterwards. */
function statedPurpose(text: string): Purpose {
  const { claims } = openToken(text);
  const purpose = textClaim(claims, 'purpose') || textClaim(claims, 'sub');
  if (purpose === provisioningPurpose) return 'provisioning';
  if (purpose === 'choria_server') return 'server';
  throw new TrustError(
    'PURPOSE',
    `its purpose is ${JSON.stringify(purpose.slice(0, 50))}; only provisioning and server tokens can be verified`,
  );
}
