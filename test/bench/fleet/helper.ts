// The helpers that benchmarks run: the same reply in three languages, as a process per node or as processes that stay.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectRoot } from '../../../cli/launch/project.js';
import { quoteWord } from '../../../cli/launch/quote.js';

export const helperKinds = [
  'exec-sh',
  'exec-python',
  'exec-node',
  'persistent-sh',
  'persistent-python',
  'persistent-node',
] as const;

export type HelperKind = (typeof helperKinds)[number];

const programs = { sh: ['sh', 'sh'], python: ['python3', 'py'], node: [process.execPath, 'js'] } as const;

/** @returns program and arguments */
export function commandOf(kind: HelperKind): [program: string, ...args: string[]] {
  const [mode, language] = kind.split('-') as ['exec' | 'persistent', keyof typeof programs];
  const [program, suffix] = programs[language];
  return [program, join(projectRoot(), 'test/bench/helpers', `${mode}.${suffix}`)];
}

/** @returns the provisioner's settings for it */
export function helperSettings(kind: HelperKind): { readonly helper: string; readonly helper_mode: string } {
  return { helper: commandOf(kind).map(quoteWord).join(' '), helper_mode: modeOf(kind) };
}

export function modeOf(kind: HelperKind): 'exec' | 'persistent' {
  return kind.startsWith('exec') ? 'exec' : 'persistent';
}

/** As the provisioner writes it, of a node of the swarm. */
export const sampleInput = `${JSON.stringify({
  identity: 'node-00001.swarm.local',
  csr: null,
  ed25519_pubkey: null,
  inventory: JSON.stringify({
    agents: ['choria_provision', 'choria_util', 'discovery', 'rpcutil'],
    classes: [],
    collectives: ['provisioning'],
    data_plugins: ['choria', 'machine_state'],
    facts: {
      fqdn: 'node-00001.swarm.local',
      hostname: 'node-00001',
      domain: 'swarm.local',
      os: { name: 'Debian', family: 'Debian', release: { major: '12', full: '12.5' } },
      processors: { count: 2, isa: 'x86_64' },
      memory: { system: { total_bytes: 8_589_934_592 } },
      uptime_seconds: 42.5,
    },
    machines: [],
    main_collective: 'provisioning',
    version: '0.1.0',
    upgradable: true,
  }),
  jwt: null,
})}\n`;

/** Runs a helper once. @returns the configuration that it gives, as Configure carries it */
export async function configurationOf(kind: HelperKind): Promise<string> {
  const [program, ...args] = commandOf(kind);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  // One that does not read closes its end early.
  child.stdin.on('error', () => {});
  child.stdin.end(sampleInput);
  const [reply, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`the helper ${args.join(' ')} ended with ${code}`);
  return JSON.stringify(JSON.parse(reply).configuration);
}
