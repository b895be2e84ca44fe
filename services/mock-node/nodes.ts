// The nodes of a swarm as the flags and their personas have them, and the bounds on what they do at once.

import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Clock } from '../../shared/clock.js';
import type { Identity } from '../../shared/identity.js';
import type { Logger } from '../../shared/logger.js';
import { productVersion } from '../../shared/process/version.js';
import type { Random } from '../../shared/random.js';
import { newCsr } from './agent/own-keys.js';
import type { BootCredentials } from './boot/boot-credentials.js';
import type { MockNodeConfig } from './config.js';
import type { MockNodeMetrics } from './metrics.js';
import type { Cast } from './personas/cast.js';
import { Slots } from './slots.js';
import { diskFiles, sharingSyncs, temporaryFiles } from './state/files.js';
import { NodeStore } from './state/node-store.js';
import type { StateRoot } from './state/root.js';
import type { Listeners } from './swarm/listeners.js';
import { loopbackHost } from './swarm/names.js';
import { Node } from './swarm/node.js';
import { Swarm } from './swarm/swarm.js';

/** How many nodes use the disk at once: more than the threads that serve it keeps them all busy. */
const diskUsers = 16;

/** How many RSA keys are made at once: each keeps one of the threads busy that the disk is served by, too. */
const keyMakers = 2;

export interface SwarmParts {
  readonly newCredentials: (identity: Identity) => Promise<BootCredentials>;
  readonly root: StateRoot;
  readonly cast: Cast;
  readonly listeners: Listeners;
  readonly metrics: MockNodeMetrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** None of them has booted yet. */
export function createSwarm(config: MockNodeConfig, parts: SwarmParts): Swarm {
  const { clock, random, log } = parts;
  const { identities, addressing, advertiseHost } = config;
  const disk = new Slots(diskUsers);
  const makers = new Slots(keyMakers);
  const files =
    config.directory === undefined ? temporaryFiles : sharingSyncs(diskFiles, parts.root.directory);
  const version = config.release ?? productVersion();
  return new Swarm({
    count: identities.length,
    clock,
    log,
    newNode: (index, onPhase) => {
      const identity = identities[index];
      if (identity === undefined) throw new Error(`node ${index} has no name`);
      const behaviour = parts.cast.behaviourOf(index);
      const directory = join(parts.root.directory, parts.cast.part(index)?.machine ?? identity);
      const onDisk = behaviour.onDisk(files);
      return new Node({
        identity,
        host: addressing === 'LOOPBACK' ? loopbackHost(index) : advertiseHost,
        port: parts.listeners.portOf(index),
        version: behaviour.release ?? version,
        upgradable: behaviour.upgradable ?? config.upgradable,
        upgradeTimeMs: config.upgradeTimeMs,
        directory,
        downMs: config.downMs,
        newCredentials: () => parts.newCredentials(identity),
        newCsr: (subject, signal) => makers.use(() => newCsr(subject), signal),
        newStore: () => new NodeStore({ identity, directory, files: onDisk, disk }),
        randomBytes,
        newEventId: randomUUID,
        clock,
        random,
        log,
        onPhase,
        onCommitted: parts.metrics.countConfiguration,
        cutConnections: (graceMs) => parts.listeners.cut(index, graceMs),
        crashesEveryMs: behaviour.crashesEveryMs,
        disguise: behaviour.disguise,
      });
    },
  });
}
