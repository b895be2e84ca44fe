// The flags of the mock node (design, section 11): which there are, what each means, and its default. What their
// values may be is config.ts's matter.

import { parseArgs } from 'node:util';
import { suggestion } from '../../shared/config/nearest.js';

export const usage = `usage: slipway mock-node [flags]

Plays one node that wants provisioning, or a swarm of them.

  --listen HOST:PORT        where nodes answer (0.0.0.0:7430)
  --discovery HOST:PORT     discovery's listener for nodes; without it nodes do not report
  --identity NAME           the node's name (the host name); of a swarm, the name that numbers go into
                            (node.swarm.local gives node-00001.swarm.local)
  --nodes N                 how many nodes to play (1)
  --addresses loopback      nodes of a swarm differ by loopback address, 127.1.0.1 and up; default
              ports         nodes of a swarm differ by port, from that of --listen on
  --advertise-host HOST     the host that nodes report, where discovery trusts advertised hosts
  --dir PATH                keeps state in PATH/IDENTITY; without it, in a temporary folder
  --jwt-file PATH           the provisioning token, read anew at each boot; its cht is the secret
  --secret-file PATH        the provisioning secret of nodes without a token; without either, any proof is accepted
  --ca PATH                 the CA certificate of discovery; without it, the token names it. A node that knows it from
                            neither does not report
  --tls-mode required       nodes serve with a certificate of each boot, and sign their reports; default
             insecure       nothing is encrypted
  --share-certificate       one certificate for all boots of this process: a large swarm starts sooner
  --monitor-port PORT       /livez, /readyz and /metrics; 0 for none (0)
  --monitor-host HOST       where they listen (0.0.0.0)
  --start-within DURATION   spreads the first boots (1s)
  --down-time DURATION      how long a node is down while it restarts, or after it crashed (100ms)
  --release VERSION         the release that nodes are made with (that of this program)
  --upgradable yes          nodes replace their release when they are told to; default
               no           they do not
  --upgrade-time DURATION   how long replacing it takes (100ms)
  --fault LIST              faults that befall calls, with commas between them; may be given several times. Each is
                            [IDENTITY/]RPC:KIND[:VALUE][:PROBABILITY][:xTIMES]
  --fault-file PATH         faults, one or more a line; read again when it changes, and on SIGHUP
  --personas NAME=WEIGHT,…  splits the nodes by weights, and names each after what it is: healthy, slow, dead,
                            flapping, looping, cloned, lying, ageing (without: all healthy)
  --loglevel LEVEL          debug, info, warn or error (info)
  --help                    prints this
`;

const options = {
  listen: { type: 'string', default: '0.0.0.0:7430' },
  discovery: { type: 'string' },
  identity: { type: 'string' },
  nodes: { type: 'string', default: '1' },
  addresses: { type: 'string', default: 'loopback' },
  'advertise-host': { type: 'string', default: '' },
  dir: { type: 'string' },
  'jwt-file': { type: 'string' },
  'secret-file': { type: 'string' },
  ca: { type: 'string' },
  'tls-mode': { type: 'string', default: 'required' },
  'share-certificate': { type: 'boolean' },
  'monitor-port': { type: 'string', default: '0' },
  'monitor-host': { type: 'string', default: '0.0.0.0' },
  'start-within': { type: 'string', default: '1s' },
  'down-time': { type: 'string', default: '100ms' },
  release: { type: 'string' },
  upgradable: { type: 'string', default: 'yes' },
  'upgrade-time': { type: 'string', default: '100ms' },
  fault: { type: 'string', multiple: true },
  'fault-file': { type: 'string' },
  personas: { type: 'string' },
  loglevel: { type: 'string', default: 'info' },
  help: { type: 'boolean' },
} as const;

export interface GivenFlags {
  /** As they were written, or their defaults. */
  readonly values: ReturnType<typeof parseArgs<{ readonly options: typeof options }>>['values'];
  /** A line for each. */
  readonly problems: string[];
}

/** Takes the command line apart. The last of a flag that is given twice counts, but for --fault, which adds up. */
export function readFlags(args: readonly string[]): GivenFlags {
  const problems: string[] = [];
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const known: string[] = [];
  let afterUnknown = -1;
  for (const token of tokens) {
    if (token.kind === 'positional') {
      // What follows a flag that does not exist was meant as its value.
      if (token.index !== afterUnknown) problems.push(`${token.value}: nothing but flags is expected`);
    } else if (token.kind === 'option' && !Object.hasOwn(options, token.name)) {
      afterUnknown = token.index + 1;
      problems.push(`${token.rawName}: there is no such flag${suggestFlag(token.name)}`);
    } else if (token.kind === 'option' && isSwitch(token.name)) {
      if (token.inlineValue === true) problems.push(`${token.rawName} takes no value`);
      known.push(`--${token.name}`);
    } else if (token.kind === 'option') {
      const separate = token.inlineValue === false && token.value.startsWith('--');
      if (token.value === undefined || separate) problems.push(`${token.rawName} needs a value`);
      else known.push(`--${token.name}=${token.value}`);
    }
  }
  return { values: parseArgs({ args: known, options }).values, problems };
}

function isSwitch(name: string): boolean {
  return name === 'help' || name === 'share-certificate';
}

function suggestFlag(name: string): string {
  return suggestion(name, Object.keys(options)).replace('did you mean ', 'did you mean --');
}
