// slipway keys …: ed25519 key pairs, as tokens are signed with.

import type { Command } from 'commander';
import { refuseExisting, refuseSame, writeWhole } from '../files/write.js';
import type { Terminal } from '../terminal.js';
import { newKeyPair } from './key-pair.js';

export function fillKeys(keys: Command, terminal: Terminal): void {
  keys
    .command('new')
    .description(
      'Makes a key pair and prints the public key. FILE gets the private one: 64 hex digits, mode 0600.',
    )
    .argument('<FILE>', 'where the private key (its seed) goes')
    .option('--public <FILE>', 'writes the public key to a file, too')
    .option('--force', 'replaces files that are there')
    .addHelpText('after', example)
    .action((file: string, options: NewKeyOptions) => newKey(file, options, terminal));
}

const example = `
Settings of the provisioner: jwt_signing_key: FILE. Whoever verifies what is signed needs the public key only:
jwt_verify_cert takes the hex digits themselves, or the file of --public.
`;

interface NewKeyOptions {
  readonly public?: string;
  readonly force?: true;
}

async function newKey(file: string, options: NewKeyOptions, terminal: Terminal): Promise<void> {
  const force = options.force === true;
  refuseSame([file, options.public]);
  if (!force) await refuseExisting([file, ...(options.public === undefined ? [] : [options.public])]);
  const { seed, publicKey } = newKeyPair();
  await writeWhole({ path: file, text: seed.reveal(), isPrivate: true }, force);
  terminal.err(`the private key is in ${file}\n`);
  if (options.public !== undefined) {
    await writeWhole({ path: options.public, text: publicKey, isPrivate: false }, force);
    terminal.err(`the public key is in ${options.public}\n`);
  }
  terminal.out(`${publicKey}\n`);
}
