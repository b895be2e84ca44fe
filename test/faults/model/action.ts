// What may happen to a site, as data that fast-check makes up and makes shorter. How it is done is the trial's matter.

import fc from 'fast-check';
import type { RunFeatures } from '../../../services/provisioner/run/run-context.js';
import type { Door } from '../world/faults.js';

/** What the helper says of a node, from some moment on. */
export type Mood =
  | 'CONFIGURES'
  /** Another configuration each time that it is asked. */
  | 'CONFIGURES_ANEW'
  /** What it prints leaves the node in provisioning mode. */
  | 'LOOPS'
  | 'DEFERS'
  | 'DEFERS_BRIEFLY'
  | 'DEFERS_LONG'
  | 'SHUTS_DOWN'
  | 'UPGRADES'
  | 'DOWNGRADES'
  | 'FAILS'
  | 'PRINTS_NOTHING'
  | 'HANGS';

/** What happens besides, in the middle of a call. */
export type Incident =
  | 'NODE_CRASHES'
  | 'NODE_REBOOTS'
  | 'PROVISIONER_CRASHES'
  | 'PROVISIONER_RESTARTS'
  | 'DISCOVERY_CRASHES'
  | 'WATCHES_BREAK'
  | 'SECOND_STARTS'
  | 'PAUSES';

export type PlannedFault =
  | { readonly kind: 'LOSE_REQUEST' | 'LOSE_REPLY' | 'DUPLICATE' | 'HANG' | 'HANG_AFTER' }
  | { readonly kind: 'DELAY' | 'REPEAT_LATER'; readonly ms: number }
  | {
      readonly kind: 'DO';
      readonly when: 'ARRIVES' | 'DONE' | 'ANSWERED';
      readonly incident: Incident;
    };

/** `node` is the number of a name; a name has a machine, and another once it is cloned. Times in milliseconds. */
export type Action =
  | { readonly do: 'BOOT' | 'REBOOT' | 'VANISH' | 'CLONE'; readonly node: number }
  | { readonly do: 'CRASH'; readonly node: number; readonly downMs: number; readonly keptShare: number }
  /** Happens to the nth call from now on that comes to the door. */
  | {
      readonly do: 'FAULT';
      readonly node: number;
      readonly door: Door;
      readonly nth: number;
      readonly fault: PlannedFault;
    }
  | { readonly do: 'MOOD'; readonly node: number; readonly mood: Mood }
  | { readonly do: 'CRASH_DISCOVERY' | 'CRASH_PROVISIONER' | 'RESTART_PROVISIONER'; readonly downMs: number }
  | { readonly do: 'START_SECOND' | 'STOP_SECOND' | 'CRASH_SECOND' | 'PAUSE' | 'RESUME' | 'BREAK_WATCHES' }
  | { readonly do: 'WAIT'; readonly ms: number };

/** What does not change while a site is tried. */
export interface Setting {
  /** How many names there are. */
  readonly names: number;
  readonly workers: number;
  readonly queueLimit: number;
  /** Failures of the helper in a row at which no run starts any more. */
  readonly helperBreaker: number;
  readonly features: RunFeatures;
}

const without = { jwt: false, ed25519: false, pki: false, upgrades: false };
const signed = { ...without, jwt: true, ed25519: true };

export const settings: fc.Arbitrary<Setting> = fc.record({
  names: fc.integer({ min: 1, max: 6 }),
  workers: fc.integer({ min: 1, max: 3 }),
  queueLimit: fc.integer({ min: 1, max: 3 }),
  helperBreaker: fc.constantFrom(1, 2, 3, 20),
  features: fc.oneof(
    { weight: 3, arbitrary: fc.constant(without) },
    { weight: 6, arbitrary: fc.constant(signed) },
    { weight: 6, arbitrary: fc.constant({ ...signed, upgrades: true }) },
    // Each of its keys takes a tenth of a second to make.
    { weight: 1, arbitrary: fc.constant({ ...without, pki: true }) },
  ),
});

const node = fc.nat({ max: 5 });

const doors: readonly Door[] = [
  'Identify',
  'GetJwt',
  'GenerateEd25519Key',
  'GetInventory',
  'GenerateCsr',
  'UpdateRelease',
  'Shutdown',
  'GetRunStatus',
  'Report',
  'Signing',
];
/** Where most is at stake. */
const weightyDoors: readonly Door[] = [
  'GenerateEd25519Key',
  'GetRunStatus',
  'UpdateRelease',
  'Helper',
  'Report',
];
const weightiestDoors: readonly Door[] = ['Configure', 'Restart'];

const incident: fc.Arbitrary<Incident> = fc.constantFrom(
  'NODE_CRASHES',
  'NODE_REBOOTS',
  'PROVISIONER_CRASHES',
  'PROVISIONER_RESTARTS',
  'DISCOVERY_CRASHES',
  'WATCHES_BREAK',
  'SECOND_STARTS',
  'PAUSES',
);

const fault: fc.Arbitrary<PlannedFault> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'LOSE_REQUEST' as const,
        'LOSE_REPLY' as const,
        'DUPLICATE' as const,
        'HANG' as const,
        'HANG_AFTER' as const,
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('DELAY' as const),
      ms: fc.constantFrom(300, 1_900, 4_000, 9_900, 12_000, 45_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('REPEAT_LATER' as const),
      ms: fc.constantFrom(50, 150, 500, 20_000, 70_000),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant('DO' as const),
      when: fc.constantFrom('ARRIVES' as const, 'DONE' as const, 'ANSWERED' as const),
      incident,
    }),
  },
);

const mood: fc.Arbitrary<Mood> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Mood>('CONFIGURES', 'CONFIGURES_ANEW') },
  { weight: 3, arbitrary: fc.constantFrom<Mood>('UPGRADES', 'DOWNGRADES') },
  { weight: 2, arbitrary: fc.constantFrom<Mood>('DEFERS', 'DEFERS_BRIEFLY', 'DEFERS_LONG') },
  {
    weight: 3,
    arbitrary: fc.constantFrom<Mood>('SHUTS_DOWN', 'LOOPS', 'FAILS', 'PRINTS_NOTHING', 'HANGS'),
  },
);

const downMs = fc.constantFrom(0, 500, 5_000, 45_000);

function just<K extends Action['do']>(...kinds: readonly [K, ...K[]]): fc.Arbitrary<K> {
  return fc.constantFrom(...kinds);
}

export const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 12, arbitrary: fc.record({ do: just('BOOT'), node }) },
  { weight: 3, arbitrary: fc.record({ do: just('REBOOT', 'VANISH', 'CLONE'), node }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: just('CRASH'),
      node,
      downMs,
      keptShare: fc.constantFrom(0, 0.5, 1),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      do: just('FAULT'),
      node,
      door: fc.oneof(...[doors, weightyDoors, weightiestDoors].map((some) => fc.constantFrom(...some))),
      nth: fc.constantFrom(1, 1, 1, 2, 3),
      fault,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: just('MOOD'), node, mood }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: just('CRASH_DISCOVERY', 'CRASH_PROVISIONER', 'RESTART_PROVISIONER'), downMs }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: just('START_SECOND', 'STOP_SECOND', 'CRASH_SECOND', 'PAUSE', 'RESUME', 'BREAK_WATCHES'),
    }),
  },
  {
    weight: 20,
    arbitrary: fc.record({
      do: just('WAIT'),
      ms: fc.oneof(
        { weight: 12, arbitrary: fc.integer({ min: 1, max: 3_000 }) },
        { weight: 12, arbitrary: fc.constantFrom(5_000, 11_000, 21_000) },
        { weight: 5, arbitrary: fc.constantFrom(61_000, 125_000) },
        { weight: 1, arbitrary: fc.constant(900_000) },
      ),
    }),
  },
);
