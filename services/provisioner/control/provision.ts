// Has a host run now, because an operator wants it (design, section 10, ProvisionHost): decides whether its node has to
// be met first, and where. What the fleet makes of it is fleet/wishes.ts's matter.

import type { Identity } from '../../../shared/identity.js';
import type { SightedNode } from '../fleet/node-event.js';
import type { Roster } from '../fleet/roster.js';
import type { Obstacle, Wishes } from '../fleet/wishes.js';
import { ControlError } from './control-error.js';
import { atNode, type MeetingOptions, type Met } from './meeting.js';

export interface ProvisionOptions extends MeetingOptions {
  readonly wishes: Wishes;
  readonly roster: Roster;
}

export interface ProvisionOrder {
  readonly identity: Identity;
  /** Host and port, as an operator wrote them; empty where they gave none. */
  readonly address: string;
  readonly force: boolean;
}

/**
 * Queues the host, or leaves alone the run that works on it.
 *
 * @throws ControlError where it cannot be queued; the signal's reason
 */
export async function provision(
  options: ProvisionOptions,
  order: ProvisionOrder,
  signal: AbortSignal,
): Promise<void> {
  const { wishes, roster } = options;
  const { identity, address, force } = order;
  refuse(wishes.obstacle(identity), identity);
  const host = roster.get(identity);
  if (host?.state === 'RUNNING') return;
  if (address !== '') {
    const met = await atNode(options, identity, { kind: 'GIVEN', address }, signal, (found) =>
      sightedBy(found, host?.node),
    );
    refuse(wishes.provision({ identity, force, met, placed: true }), identity);
    return;
  }
  if (wishes.provision({ identity, force }) === 'DONE') return;
  if (host === undefined) {
    const message = `${identity} is not known: give its address, or wait until it is sighted`;
    throw new ControlError('UNKNOWN_HOST', 'HOST_NOT_FOUND', message);
  }
  const met = await atNode(options, identity, { kind: 'KNOWN', node: host.node }, signal, ({ found }) => {
    checkMode(identity, found.provisioning);
    return { ...host.node, bootId: found.bootId };
  });
  refuse(wishes.provision({ identity, force, met }), identity);
}

/** @param known what was known of it before */
function sightedBy({ found, address, certificateSha256 }: Met, known: SightedNode | undefined): SightedNode {
  const { identity, bootId, provisioning } = found;
  checkMode(identity, provisioning);
  // Whether an unknown node reports nobody can tell: it is asked whether it came up.
  const source = known?.source ?? 'PROBED';
  return { identity, bootId, address, certificateSha256, source, discovery: 'operator', epoch: '' };
}

function checkMode(identity: Identity, provisioning: boolean): void {
  if (provisioning) return;
  const message = `${identity} is not in provisioning mode, or about to restart: reprovision it, if it is to be configured anew`;
  throw new ControlError('NOT_NOW', 'NOT_PROVISIONING', message);
}

/** @throws ControlError where something stands in the way */
function refuse(result: Obstacle | 'NOT_MET' | 'DONE' | undefined, identity: Identity): void {
  switch (result) {
    case undefined:
    case 'DONE':
      return;
    case 'PAUSED':
      throw new ControlError('NOT_NOW', 'PAUSED', 'the provisioner is paused: resume it first');
    case 'STOPPING':
      throw new ControlError('UNREACHABLE', 'STOPPING', 'the provisioner is stopping');
    case 'QUEUE_FULL':
      throw new ControlError(
        'QUEUE_FULL',
        'QUEUE_FULL',
        `the queue is full and ${identity} does not fit: try again when it is shorter, or raise queue_limit`,
      );
    case 'NOT_MET':
      throw new Error(`${identity} was met, and is to be met again`);
  }
}
