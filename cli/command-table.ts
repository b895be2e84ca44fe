// Every command, in the order in which help lists them. What a command takes and does is loaded when it is called: a
// command that asks one question starts at once.

import type { Command } from 'commander';
import { serviceCommand } from './services/commands.js';
import type { Terminal } from './terminal.js';

/** Gives a command its options and what it does. The words are those of the whole command line. */
type Fill = (command: Command, terminal: Terminal, words: readonly string[]) => void;

export interface CommandEntry {
  /** Name and arguments, as commander reads them. */
  readonly signature: string;
  readonly summary: string;
  readonly load: () => Promise<Fill>;
}

export interface CommandGroup {
  readonly heading: string;
  readonly commands: readonly CommandEntry[];
}

export const commandTable: readonly CommandGroup[] = [
  {
    heading: 'See what happens:',
    commands: [
      entry(
        'status',
        'how the provisioner does',
        async () => (await import('./status/command.js')).fillStatus,
      ),
      entry(
        'hosts',
        'the hosts that the provisioner knows',
        async () => (await import('./hosts/list.js')).fillHosts,
      ),
      entry('host <ID>', 'all about one host', async () => (await import('./hosts/one.js')).fillHost),
      entry(
        'why <ID>',
        'what a host waits for, until when, and what to do',
        async () => (await import('./hosts/one.js')).fillWhy,
      ),
      entry(
        'events',
        'what happened, and what happens',
        async () => (await import('./events/command.js')).fillEvents,
      ),
      entry(
        'nodes',
        'the nodes in provisioning mode that discovery knows',
        async () => (await import('./nodes/commands.js')).fillNodes,
      ),
    ],
  },
  {
    heading: 'Steer:',
    commands: [
      entry(
        'pause [MESSAGE]',
        'starts no more runs',
        async () => (await import('./control/pause.js')).fillPause,
      ),
      entry('resume [MESSAGE]', 'ends a pause', async () => (await import('./control/pause.js')).fillResume),
      entry(
        'provision <ID>',
        'provisions a host now',
        async () => (await import('./control/hosts.js')).fillProvision,
      ),
      entry(
        'reprovision <ID>',
        'puts a configured node back into provisioning mode',
        async () => (await import('./control/hosts.js')).fillReprovision,
      ),
      entry(
        'release <ID>',
        'forgets a host, so that its next sighting admits it',
        async () => (await import('./control/hosts.js')).fillRelease,
      ),
      entry(
        'discover',
        'has discovery look for nodes now',
        async () => (await import('./nodes/commands.js')).fillDiscover,
      ),
    ],
  },
  {
    heading: 'Prepare:',
    commands: [
      entry('helper', 'tries the helper', async () => (await import('./helper/commands.js')).fillHelper),
      entry(
        'config',
        'checks configuration files',
        async () => (await import('./config/commands.js')).fillConfig,
      ),
      entry(
        'certs',
        'certificates for services, operators and viewers',
        async () => (await import('./certs/commands.js')).fillCerts,
      ),
      entry(
        'keys',
        'ed25519 keys, which sign tokens',
        async () => (await import('./keys/commands.js')).fillKeys,
      ),
      entry(
        'token',
        'tokens that nodes boot with, and tokens that they are given',
        async () => (await import('./token/commands.js')).fillToken,
      ),
    ],
  },
  {
    heading: 'Run services:',
    commands: [
      entry('discovery', 'runs discovery', async () => serviceCommand('discovery')),
      entry('provisioner', 'runs the provisioner', async () => serviceCommand('provisioner')),
      entry('mock-node', 'plays one node, or thousands', async () => serviceCommand('mock-node')),
    ],
  },
];

function entry(signature: string, summary: string, load: CommandEntry['load']): CommandEntry {
  return { signature, summary, load };
}
