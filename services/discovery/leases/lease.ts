// Who speaks for an identity at present, and what was last heard of that boot. What may change it is the
// registry's matter.

import type { BootId, Identity } from '../../../shared/identity.js';
import type { Announcement, Reply } from '../nodes/announcement.js';
import { type Boot, isSameBoot } from '../nodes/boot.js';
import type { Labels, Node, NodeSource } from '../nodes/node.js';
import { type Expiring, unscheduled } from './expiry.js';

/**
 * PROVISIONING: waits in provisioning mode, and is live. CONFIGURED: came up configured. GONE: said that it
 * stops; it is remembered for a moment, so that reports that were under way do not bring it back.
 */
export type Phase = 'PROVISIONING' | 'CONFIGURED' | 'GONE';

export interface Lease extends Expiring {
  readonly identity: Identity;
  phase: Phase;
  bootId: BootId;
  certificateSha256: string;
  address: string;
  source: NodeSource;
  /** Whom the bounds per source count it to; empty for a probed node. */
  origin: string;
  component: string;
  version: string;
  labels: Labels;
  /** Of the last report that was accepted; 0 where none was. */
  sequence: bigint;
  digest: string;
  reply: Reply;
  /** Unix milliseconds. */
  firstSeen: number;
  /** Unix milliseconds. */
  lastSeen: number;
  /** Kinds of event that a boot has only once, and had. */
  startedUp: boolean;
  upgraded: boolean;
  /** event_id of the last PROVISIONED of this identity that watchers heard of; empty where there was none. */
  arrivalEventId: string;
  /** Where the next boot is expected of a node that was there and said that it stops; else empty. */
  returnsTo: string;
  /** The boot that held the lease before, and the last sequence heard of it. */
  replaced: (Boot & { readonly sequence: bigint }) | undefined;
}

/** Makes the lease of whoever announces itself; `now` in Unix milliseconds. */
export function newLease(from: Announcement, phase: Phase, now: number): Lease {
  return {
    identity: from.identity,
    phase,
    bootId: from.bootId,
    certificateSha256: from.certificateSha256,
    address: from.address,
    source: from.source,
    origin: from.origin,
    component: from.component,
    version: from.version,
    labels: from.labels,
    sequence: from.sequence,
    digest: from.digest,
    reply: from.reply,
    firstSeen: now,
    lastSeen: now,
    startedUp: false,
    upgraded: false,
    arrivalEventId: '',
    returnsTo: '',
    replaced: undefined,
    expiresAt: 0,
    bucket: unscheduled,
  };
}

/** Gives the lease to another boot, or to the same one elsewhere, in place. */
export function handOver(lease: Lease, to: Announcement, phase: Phase, now: number): void {
  const { bootId, certificateSha256, sequence, arrivalEventId, expiresAt, bucket } = lease;
  const { firstSeen, startedUp, upgraded, replaced } = lease;
  const ofBoot = isSameBoot(lease, to)
    ? { firstSeen, startedUp, upgraded, replaced }
    : { replaced: { bootId, certificateSha256, sequence } };
  const told = { ...to, ...unchanged(lease, to) };
  Object.assign(lease, newLease(told, phase, now), { arrivalEventId, expiresAt, bucket }, ofBoot);
}

/** Takes over what its holder says of itself now. */
export function refresh(lease: Lease, from: Announcement, now: number): void {
  const { version, component, labels } = unchanged(lease, from);
  lease.lastSeen = now;
  lease.version = version;
  if (from.source === 'PROBED') return;
  lease.source = 'REPORTED';
  lease.origin = from.origin;
  lease.component = component;
  lease.labels = labels;
  lease.sequence = from.sequence;
  lease.digest = from.digest;
  lease.reply = from.reply;
}

/** What a lease has already where it is the same: many events share it, and each report brings texts of its own. */
function unchanged(lease: Lease, from: Announcement): Pick<Lease, 'version' | 'component' | 'labels'> {
  return {
    version: lease.version === from.version ? lease.version : from.version,
    component: lease.component === from.component ? lease.component : from.component,
    labels: sameLabels(lease.labels, from.labels) ? lease.labels : from.labels,
  };
}

function sameLabels(left: Labels, right: Labels): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}

/** The node as it is at this moment. */
export function nodeOf(lease: Lease): Node {
  return {
    identity: lease.identity,
    address: lease.address,
    bootId: lease.bootId,
    version: lease.version,
    component: lease.component,
    certificateSha256: lease.certificateSha256,
    labels: lease.labels,
    firstSeen: lease.firstSeen,
    lastSeen: lease.lastSeen,
    source: lease.source,
  };
}

/** The node that announces itself, as one that holds no lease; `now` in Unix milliseconds. */
export function announcedNode(from: Announcement, now: number): Node {
  return {
    identity: from.identity,
    address: from.address,
    bootId: from.bootId,
    version: from.version,
    component: from.component,
    certificateSha256: from.certificateSha256,
    labels: from.labels,
    firstSeen: now,
    lastSeen: now,
    source: from.source,
  };
}
