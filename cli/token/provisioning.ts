// slipway token provisioning: makes the token that nodes boot with.

import { createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { DurationError, durationMs } from '../../shared/durations.js';
import { Secret } from '../../shared/secret.js';
import { timeText } from '../../shared/trust/claims.js';
import { mintProvisioningToken } from '../../shared/trust/mint-provisioning-token.js';
import { rawPublicKey } from '../../shared/trust/raw-keys.js';
import { parseSigningKey, type SigningKey } from '../../shared/trust/signing-key.js';
import { UsageError } from '../command-error.js';
import { readText } from '../files/read.js';
import { refuseExisting, refuseSame, writeWhole } from '../files/write.js';
import type { Terminal } from '../terminal.js';
import { readAuthorityHash } from './authority-hash.js';

export function addProvisioningCommand(token: Command, terminal: Terminal): void {
  token
    .command('provisioning')
    .description('Makes the token that nodes boot with, and signs it. FILE gets it, mode 0600.')
    .argument('<FILE>', 'where the token goes')
    .requiredOption(
      '--signing-key <FILE>',
      'the key of the site: an ed25519 seed in hex, or PEM of ed25519 or RSA',
    )
    .option('--secret-file <FILE>', 'the provisioning secret, the first line of it; else a new one is made')
    .option('--ca <FILE>', 'the CA that discovery is to be of (PEM): nodes report to no other')
    .option('--default', 'nodes that have no configuration are in provisioning mode')
    .addOption(
      new Option('--validity <DURATION>', 'how long it is valid: 30d, 1y, or "never" for one without end')
        .argParser(parseValidity)
        .default(parseValidity('1y'), '1y'),
    )
    .option('--org <NAME>', 'the organisation', 'choria')
    .option('--extensions <JSON>', 'an object with more for nodes and helpers', parseExtensions)
    .option('--url <URL>', 'a broker; may be given several times', (url, before: string[] = []) => [
      ...before,
      url,
    ])
    .option('--srv <DOMAIN>', 'the domain whose SRV records name the brokers')
    .option('--secure', 'brokers must be reached over TLS')
    .option('--username <NAME>', 'for the brokers')
    .option('--password-file <FILE>', 'for the brokers')
    .option('--registration <PATH>', 'a file of the node, published as its registration')
    .option('--facts <PATH>', 'a file of the node, with its facts')
    .option('--protocol-v2', "Choria's protocol version 2")
    .option('--upgrades', "the node's release may be replaced")
    .option('--force', 'replaces files that are there')
    .addHelpText('after', notes)
    .action((file: string, options: Options) => makeToken(file, options, terminal));
}

const notes = `
Without --secret-file the new secret is written beside the token, to FILE.secret. The provisioner needs it too:
token_file: FILE.secret. "-" stands for standard input, for one of the files. Options from --url on are for agents
that also speak to Choria brokers; the mock node does not need them.

Whoever reads the token knows the secret in it, and with it can act on every node that has the same one.
`;

interface Options {
  readonly signingKey: string;
  readonly secretFile?: string;
  readonly ca?: string;
  readonly default?: true;
  readonly validity: Validity;
  readonly org: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly url?: readonly string[];
  readonly srv?: string;
  readonly secure?: true;
  readonly username?: string;
  readonly passwordFile?: string;
  readonly registration?: string;
  readonly facts?: string;
  readonly protocolV2?: true;
  readonly upgrades?: true;
  readonly force?: true;
}

/** Whole seconds; undefined: without end. */
type Validity = { readonly seconds: number | undefined };

async function makeToken(file: string, options: Options, terminal: Terminal): Promise<void> {
  const inputs = [options.signingKey, options.secretFile, options.passwordFile, options.ca];
  if (inputs.filter((input) => input === '-').length > 1) {
    throw new UsageError('standard input ("-") can stand for one file only');
  }
  const force = options.force === true;
  refuseSame([file, options.signingKey, options.ca]);
  refuseSame([file, options.secretFile ?? `${file}.secret`, options.signingKey]);
  const newSecretFile = options.secretFile === undefined ? `${file}.secret` : undefined;
  if (!force) await refuseExisting([file, ...(newSecretFile === undefined ? [] : [newSecretFile])]);

  const signingKey = await readSigningKey(options.signingKey, terminal);
  const secret = await readSecret(options.secretFile, terminal);
  const caSha256 = options.ca === undefined ? undefined : await readAuthorityHash(options.ca, terminal);
  const password = options.passwordFile && (await readText(options.passwordFile, 'the password', terminal));
  const now = Math.floor(terminal.now().getTime() / 1000);
  const { seconds } = options.validity;
  const expiresAt = seconds === undefined ? undefined : now + seconds;
  const token = await mintProvisioningToken(
    {
      secret,
      ...(expiresAt !== undefined && { expiresAt }),
      provisioningByDefault: options.default ?? false,
      ...(caSha256 !== undefined && { caSha256 }),
      organization: options.org,
      ...(options.extensions && { extensions: options.extensions }),
      secure: options.secure ?? false,
      urls: options.url ?? [],
      ...(options.srv !== undefined && { srvDomain: options.srv }),
      ...(options.registration !== undefined && { registrationFile: options.registration }),
      ...(options.facts !== undefined && { factsFile: options.facts }),
      ...(options.username !== undefined && { username: options.username }),
      ...(password && { password: new Secret(password) }),
      protocolV2: options.protocolV2 ?? false,
      allowUpdate: options.upgrades ?? false,
    },
    signingKey,
    now,
  );

  if (newSecretFile !== undefined) {
    await writeWhole({ path: newSecretFile, text: `${secret.reveal()}\n`, isPrivate: true }, force);
  }
  await writeWhole({ path: file, text: token, isPrivate: true }, force);
  const lines = [
    `${file}  the token, ${expiresAt === undefined ? 'without end' : `valid until ${timeText(expiresAt)}`}`,
    ...(newSecretFile === undefined
      ? []
      : [`${newSecretFile}  the new secret in it; for the provisioner: token_file`]),
    ...publicKeyLines(signingKey.key),
    ...(caSha256 === undefined ? [] : [`CA, SHA-256: ${caSha256}`]),
  ];
  terminal.out(`${lines.join('\n')}\n`);
  if (caSha256 === undefined) {
    terminal.err(
      'without --ca: nodes report over TLS only where they have the CA certificate of discovery\n',
    );
  }
  if (options.default !== true) {
    terminal.err('without --default: nodes want provisioning only where their configuration says so\n');
  }
}

async function readSigningKey(path: string, terminal: Terminal): Promise<SigningKey> {
  const text = await readText(path, 'the signing key', terminal);
  try {
    return parseSigningKey(text);
  } catch (error) {
    throw new UsageError(`${path} is no key to sign with: ${error instanceof Error ? error.message : error}`);
  }
}

/** A file of the provisioner's, with a secret on each line, names the newest first. */
async function readSecret(path: string | undefined, terminal: Terminal): Promise<Secret> {
  if (path === undefined) return new Secret(randomBytes(32).toString('base64url'));
  const [first = ''] = (await readText(path, 'the provisioning secret', terminal)).split('\n');
  return new Secret(first.trim());
}

function publicKeyLines(privateKey: KeyObject): string[] {
  if (privateKey.asymmetricKeyType === 'ed25519') {
    return [`verified with: ${rawPublicKey(privateKey).toString('hex')} (jwt_verify_cert)`];
  }
  const pem = createPublicKey(privateKey).export({ format: 'pem', type: 'spki' });
  return [`verified with (jwt_verify_cert, in a file):\n${String(pem).trimEnd()}`];
}

function parseValidity(text: string): Validity {
  if (text === 'never') return { seconds: undefined };
  try {
    const seconds = Math.floor(durationMs(text) / 1000);
    if (seconds < 1) throw new InvalidArgumentError('Expected a second or more.');
    return { seconds };
  } catch (error) {
    if (error instanceof DurationError) throw new InvalidArgumentError(`${error.message}.`);
    throw error;
  }
}

function parseExtensions(text: string): Readonly<Record<string, unknown>> {
  const wrong = new InvalidArgumentError('Expected a JSON object.');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong;
    return { ...value };
  } catch {
    throw wrong;
  }
}
