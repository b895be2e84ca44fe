// A machine of the mock node on a disk and a clock of the test's, with a discovery that listens.

import { randomBytes, randomUUID } from 'node:crypto';
import type { Agent } from '../../services/mock-node/agent/agent.js';
import type { Call } from '../../services/mock-node/agent/call.js';
import type { BootCredentials } from '../../services/mock-node/boot/boot-credentials.js';
import { Slots } from '../../services/mock-node/slots.js';
import { NodeStore } from '../../services/mock-node/state/node-store.js';
import { Node, type NodeOptions, type Phase } from '../../services/mock-node/swarm/node.js';
import { type Identity, parseIdentity, type RunId } from '../../shared/identity.js';
import { silentLogger } from '../../shared/logger.js';
import { agentConfiguration } from './agent-configurations.js';
import { CrashingFiles } from './crashing-files.js';
import { FakeClock } from './fake-clock.js';
import { FakeRegistry } from './fake-registry.js';

export class NodeBench {
  readonly identity = parseIdentity('web-1') as Identity;
  readonly directory = '/nodes/web-1';
  readonly clock = new FakeClock();
  readonly files = new CrashingFiles();
  readonly registry = new FakeRegistry();
  /** That the nodes have entered. */
  readonly phases: Phase[] = [];
  /** Of each time that connections were cut, how long they had. */
  readonly cuts: number[] = [];
  /** How many boots opened the disk. */
  opened = 0;
  /** How many boots let go of their credentials. */
  released = 0;
  /** Of the next boot. */
  credentials: BootCredentials = {
    certificate: undefined,
    token: undefined,
    secret: undefined,
    provisioningByDefault: false,
    registry: this.registry,
    release: () => {
      this.released++;
    },
  };

  newNode(changes: Partial<NodeOptions> = {}): Node {
    const { identity, directory, files, clock } = this;
    return new Node({
      identity,
      host: '',
      port: 7430,
      version: '1.0',
      upgradable: true,
      upgradeTimeMs: 1_000,
      directory,
      downMs: 100,
      newCredentials: async () => this.credentials,
      newCsr: () => Promise.reject(new Error('no request is expected')),
      newStore: () => {
        this.opened++;
        return new NodeStore({ identity, directory, files, disk: new Slots(4) });
      },
      randomBytes,
      newEventId: randomUUID,
      clock,
      random: () => 0.5,
      log: silentLogger(),
      onPhase: (_from, to) => this.phases.push(to),
      onCommitted: () => {},
      cutConnections: (graceMs) => this.cuts.push(graceMs),
      ...changes,
    });
  }

  /** A call to the boot that is up. */
  callTo(node: Node, run: RunId): Call {
    const caller = {
      identity: this.identity,
      boot: agentOf(node).identify().bootId,
      proof: '',
      site: 'default',
      provisioner: 'p1',
      run,
      fence: 1n,
    };
    return { caller, signal: new AbortController().signal };
  }

  /** Commits a configuration, of the digest {@link digestOf}. */
  async configure(node: Node, runId: RunId, version = 1): Promise<void> {
    const configurationJson = `{"version":"${version}"}`;
    await agentOf(node).configure(
      this.callTo(node, runId),
      agentConfiguration({ digest: digestOf(version), configurationJson }),
    );
  }
}

/** @param version one digit */
export function digestOf(version: number): string {
  return `${'0'.repeat(63)}${version}`;
}

/** @throws Error where the node is down */
export function agentOf(node: Node): Agent {
  if (node.agent === undefined) throw new Error('the node is down');
  return node.agent;
}
