// A registry of nodes on a bench: a clock that a test moves, agents that a test places, events that it reads.

import type { ContestOptions } from '../../services/discovery/leases/contests.js';
import { Registry } from '../../services/discovery/leases/registry.js';
import { SightingSlots } from '../../services/discovery/leases/sighting-slots.js';
import type { Announcement, Outcome } from '../../services/discovery/nodes/announcement.js';
import type { NodeEvent } from '../../services/discovery/nodes/node-event.js';
import { Limiter } from '../../services/discovery/probes/limiter.js';
import { type BootId, type Identity, newBootId, newRunId, parseIdentity } from '../../shared/identity.js';
import { FakeClock, settle } from './fake-clock.js';
import { FakeProber } from './fake-prober.js';

export interface BenchOptions {
  readonly maxNodes?: number;
  readonly maxNodesPerSource?: number;
  readonly provisionedRetentionMs?: number;
  readonly slots?: number;
  /** Told of events instead of the bench. */
  readonly tell?: (event: NodeEvent) => void;
  readonly passed?: ContestOptions['passed'];
}

/** One boot of one machine, which reports. */
export interface Boot {
  readonly identity: Identity;
  readonly bootId: BootId;
  /** Of the certificate that signs its reports, and that its agent serves; empty for one without. */
  readonly certificateSha256: string;
  readonly address: string;
  sequence: bigint;
}

export const leaseMs = 30_000;

export class RegistryBench {
  readonly clock = new FakeClock();
  readonly prober = new FakeProber();
  readonly events: NodeEvent[] = [];
  readonly registry: Registry;
  readonly stop = new AbortController();

  constructor(options: BenchOptions = {}) {
    this.registry = new Registry({
      clock: this.clock,
      maxNodes: options.maxNodes ?? 10_000,
      maxNodesPerSource: options.maxNodesPerSource ?? 0,
      provisionedRetentionMs: options.provisionedRetentionMs ?? 600_000,
      slots: new SightingSlots(options.slots ?? 10),
      prober: this.prober,
      limiter: new Limiter(4),
      tellEveryMs: 60_000,
      signal: this.stop.signal,
      tell: options.tell ?? ((event) => this.events.push(event)),
      ...(options.passed && { passed: options.passed }),
    });
  }

  /** A boot whose agent answers probes at its address. */
  boot(name: string, address?: string, certificateSha256?: string): Boot {
    const boot = this.deafBoot(name, address, certificateSha256);
    this.prober.place(boot.address, boot);
    return boot;
  }

  /** A boot whose agent does not answer probes. */
  deafBoot(name: string, address = '10.0.0.1:7430', certificateSha256 = ''): Boot {
    const identity = parseIdentity(name);
    if (identity === undefined) throw new Error(`${name} is no identity`);
    return { identity, bootId: newBootId(), certificateSha256, address, sequence: 0n };
  }

  /** The boot's next report. */
  report(boot: Boot, type: Announcement['type'], over: Partial<Announcement> = {}): Outcome {
    boot.sequence = over.sequence ?? boot.sequence + 1n;
    return this.registry.take(announcement(boot, type, over));
  }

  /** What happened since this was last asked: types, and addresses. */
  told(): string[] {
    return this.events
      .splice(0)
      .map(({ type, node }) => `${type} ${node.identity} at ${node.address.split(':')[0]}`);
  }

  /** Lets time pass, second by second, as the service's ticker does. */
  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1000) {
      await this.clock.advance(Math.min(1000, ms - passed));
      this.registry.tick();
      await settle();
    }
  }
}

export function announcement(
  { identity, bootId, certificateSha256, address, sequence }: Boot,
  type: Announcement['type'],
  over: Partial<Announcement> = {},
): Announcement {
  return {
    source: 'REPORTED',
    type,
    eventId: newBootId(),
    identity,
    bootId,
    component: 'provision_mode_server',
    version: '1.0.0',
    labels: {},
    sequence,
    digest: `${bootId} ${type} ${sequence}`,
    certificateSha256,
    address,
    origin: address.split(':')[0] ?? '',
    runId: type === 'PROVISIONED' ? newRunId() : undefined,
    configurationDigest: type === 'PROVISIONED' ? 'ab'.repeat(32) : '',
    reply: { leaseMs, nextReportMs: 10_000 },
    ...over,
  };
}
