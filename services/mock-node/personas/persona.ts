// What a persona is: how a node of it behaves, as data. Who has which is assignment.ts's matter; how a behaviour is
// carried out is that of the part it concerns.

import type { Fault } from '../faults/fault.js';
import { delays } from './delays.js';
import { type Lie, lies } from './lie.js';

/** In the order in which they are told, and by which ties are settled. */
export const personaNames = [
  'healthy',
  'slow',
  'dead',
  'flapping',
  'looping',
  'cloned',
  'lying',
  'ageing',
] as const;

export type PersonaName = (typeof personaNames)[number];

/** What becomes of a connection to a node: it is reset at once, or taken and never answered. */
export type Connections = 'SERVED' | 'RESET' | 'SILENT';

/**
 * What the node makes of its configuration's word on provisioning mode. REFUSES: whatever it says, it enables it,
 * so that Restart is refused. COMES_BACK: the same, but that shows only at the next start.
 */
export type ProvisioningMode = 'AS_CONFIGURED' | 'REFUSES' | 'COMES_BACK';

export interface Persona {
  readonly name: PersonaName;
  /** Which kind of it, where there is more than one; else empty. */
  readonly kind: string;
  /** The release that the node boots with; undefined: that of all nodes. */
  readonly release: string | undefined;
  /** Undefined: as all nodes. */
  readonly upgradable: boolean | undefined;
  readonly connections: Connections;
  /** How long, on average, until a boot in provisioning mode crashes: milliseconds. Undefined: never. */
  readonly crashesEveryMs: number | undefined;
  readonly provisioningMode: ProvisioningMode;
  /** Those of this node alone, whatever else is ordered. */
  readonly faults: readonly Fault[];
  readonly lie: Lie | undefined;
}

/** A release older than any that the nodes of this program have. */
const oldRelease = '0.0.1-old';

const crashesEveryMs = 5_000;

const healthy: Persona = {
  name: 'healthy',
  kind: '',
  release: undefined,
  upgradable: undefined,
  connections: 'SERVED',
  crashesEveryMs: undefined,
  provisioningMode: 'AS_CONFIGURED',
  faults: [],
  lie: undefined,
};

type Kind = Partial<Omit<Persona, 'name'>>;

/** The kinds of each persona. Its nodes have them in turn. */
const kinds: Readonly<Record<PersonaName, readonly [Kind, ...Kind[]]>> = {
  healthy: [{}],
  slow: [{ faults: delays }],
  dead: [
    { kind: 'refusing', connections: 'RESET' },
    { kind: 'silent', connections: 'SILENT' },
  ],
  flapping: [{ crashesEveryMs }],
  looping: [
    { kind: 'refusing', provisioningMode: 'REFUSES' },
    { kind: 'returning', provisioningMode: 'COMES_BACK' },
  ],
  cloned: [{}],
  lying: [kindOf(lies[0]), ...lies.slice(1).map(kindOf)],
  ageing: [{ release: oldRelease, upgradable: true }],
};

/** @param ordinal the how-manieth of its persona the node is, from 0 */
export function personaOf(name: PersonaName, ordinal: number): Persona {
  const [first, ...others] = kinds[name];
  const kind = [first, ...others][ordinal % (others.length + 1)] ?? first;
  return { ...healthy, ...kind, name };
}

/** A liar that crashed does not come up configured: it would have got away with its lie. */
function kindOf(lie: Lie): Kind {
  return { kind: lie.kind, lie, faults: lie.faults, provisioningMode: 'COMES_BACK' };
}
