// A host: the provisioner's record of one node, from admission until it is released.

import type { BootId, Identity } from '../../../shared/identity.js';
import type { Fetched, RunInProgress } from '../run/run.js';
import { Boots } from './boots.js';
import type { Deadline } from './deadlines.js';
import type { Arrival, Departure, SightedNode, Sighting } from './node-event.js';

export type HostStanding =
  | { readonly kind: 'QUEUED' }
  /** `boot` is the one that the run was given; Identify may have named another. */
  | { readonly kind: 'RUNNING'; readonly run: RunInProgress; readonly boot: BootId }
  | { readonly kind: 'HELD'; readonly end: Deadline }
  | { readonly kind: 'BACKING_OFF'; readonly end: Deadline };

/** What an operator wants of a host. */
export type Wish =
  /** That it is run. Kept until a run that was started for it has ended in any way but back in the queue. */
  | {
      readonly kind: 'PROVISION';
      /** Overtake a fence that is far ahead of the clock. */
      readonly force: boolean;
      /** True where they said where the node is, and it answered there. */
      readonly placed: boolean;
    }
  /** That it is forgotten when its run has ended. */
  | { readonly kind: 'RELEASE' };

export interface Host {
  readonly identity: Identity;
  readonly boots: Boots;
  /** As last sighted. */
  node: SightedNode;
  /** Monotonic milliseconds. */
  readonly admittedAt: number;
  /** When it came into its state, monotonic milliseconds. */
  since: number;
  /** Monotonic milliseconds. */
  lastSightedAt: number;
  /** Monotonic milliseconds; kept when the host goes back to the head of the queue. */
  queuedAt: number;
  /** Which in the order of all that were taken from the queue; kept when the host goes back to the head of the queue. */
  turn: number;
  /** Set where the node went away, or came up configured, since it was last sighted. */
  left: 'GONE' | 'CONFIGURED' | undefined;
  /** What runs fetched from the current boot. */
  fetched: Fetched | undefined;
  /** Of the agent's release, as last fetched from the current boot; empty where it was not. */
  version: string;
  /** True where the current boot was provisioned. */
  provisioned: boolean;
  wish: Wish | undefined;
  standing: HostStanding;
}

/** The record of a node that was not known, to be queued. */
export function newHost(node: SightedNode, now: number): Host {
  return {
    identity: node.identity,
    boots: new Boots(node.bootId),
    node,
    admittedAt: now,
    since: now,
    lastSightedAt: now,
    queuedAt: now,
    turn: 0,
    left: undefined,
    fetched: undefined,
    version: '',
    provisioned: false,
    wish: undefined,
    standing: { kind: 'QUEUED' },
  };
}

/** The IP address that a host is sighted at: what its turn in the queue is counted by. */
export function sourceOf(node: SightedNode): string {
  const colon = node.address.lastIndexOf(':');
  return colon < 0 ? node.address : node.address.slice(0, colon);
}

/** Stores what an event says of a node, for the next run. The state does not change. */
export function note(host: Host, event: Sighting | Departure | Arrival, now: number): void {
  switch (event.type) {
    case 'SHUTDOWN':
    case 'EXPIRED':
      host.left = 'GONE';
      return;
    case 'PROVISIONED':
      host.left = 'CONFIGURED';
      break;
    case 'STARTUP':
    case 'SIGHTED':
    case 'UPGRADED':
      host.left = undefined;
      host.lastSightedAt = now;
  }
  const node = placed(host, event.node);
  if (host.boots.current !== node.bootId) {
    host.boots.add(node.bootId);
    forgetBoot(host);
  }
  host.node = node;
}

/** Stores what an operator's call has found a node to be, whatever was heard of it before. The state does not change. */
export function noteMet(host: Host, node: SightedNode, now: number): void {
  if (host.boots.current !== node.bootId) forgetBoot(host);
  host.boots.met(node.bootId);
  host.left = undefined;
  host.lastSightedAt = now;
  host.provisioned = false;
  host.node = node;
}

/** What is known of one boot says nothing of another. */
function forgetBoot(host: Host): void {
  host.fetched = undefined;
  host.version = '';
  host.provisioned = false;
  if (host.wish?.kind === 'PROVISION') host.wish = { ...host.wish, placed: false };
}

/** Where an operator has met a boot counts for more than where discovery hears of it, until it has been run. */
function placed({ node: known, wish }: Host, node: SightedNode): SightedNode {
  const sameBoot = node.bootId === known.bootId && node.certificateSha256 === known.certificateSha256;
  const keeps = sameBoot && wish?.kind === 'PROVISION' && wish.placed;
  return keeps ? { ...node, address: known.address } : node;
}

/**
 * Takes over the boot that a run's Identify named, which may be sighted only later: Identify is the truth
 * (design, section 5).
 *
 * @returns the boot that the run works on, or the current one where the host is not running
 */
export function learnBootOfRun(host: Host): BootId {
  if (host.standing.kind !== 'RUNNING') return host.node.bootId;
  const { run, boot } = host.standing;
  const named = run.bootId;
  if (named === undefined || named === boot) return boot;
  if (host.boots.relation(named) === 'NEW') {
    const current = host.boots.current === boot;
    host.boots.insertAfter(boot, named);
    if (current) host.node = { ...host.node, bootId: named };
  }
  return named;
}
