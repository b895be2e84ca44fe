// Which node of a swarm has which persona: exact, the same for the same weights, and spread over the swarm. Pure, so
// that whoever counts nodes at the end can compute it again.
//
// A node is a machine. Clones are counted as machines, too: two of them share one identity, so that a swarm has one
// identity fewer than nodes for each pair.

import type { Identity } from '../../../shared/identity.js';
import { identityOf } from '../swarm/names.js';
import { type Persona, type PersonaName, personaNames, personaOf } from './persona.js';

/** How much of a swarm each persona is; what is missing is 0. */
export type PersonaWeights = Readonly<Partial<Record<PersonaName, number>>>;

export interface Part {
  readonly persona: Persona;
  /** The machine's own name, which no other has. */
  readonly machine: string;
  /** As whom it answers: of the second of a pair of clones, the name of the first. */
  readonly identity: Identity;
}

/** The personas cannot be had so; the message says why. */
class PersonasError extends Error {
  override readonly name = 'PersonasError';
}

/**
 * @param count how many nodes
 * @param base names the whole swarm; number and persona go into its first label
 * @returns what the node of each index plays
 * @throws PersonasError where a name is too long, or clones would have no partner
 */
export function personasOf(count: number, weights: PersonaWeights, base = 'node.swarm.local'): Part[] {
  const parts: Part[] = [];
  let partner: Identity | undefined;
  for (const [index, { name, ordinal }] of spread(countsOf(count, weights)).entries()) {
    const persona = personaOf(name, ordinal);
    const own = identityOf(base, index, name);
    if (own === undefined) throw new PersonasError(`${base} is no name for a swarm, or too long for one`);
    const isSecond = name === 'cloned' && ordinal % 2 === 1;
    const identity = isSecond && partner !== undefined ? partner : own;
    if (name === 'cloned') partner = own;
    parts.push({ persona, machine: own, identity });
  }
  return parts;
}

/**
 * Splits a number of nodes by weights, by the largest remainder. The number of clones is even: an odd one goes to the
 * persona that is furthest below its share.
 *
 * @returns how many nodes each persona has; together they are `count`
 * @throws PersonasError where no weight is above 0, or an odd number of nodes can be nothing but clones
 */
export function countsOf(count: number, weights: PersonaWeights): Record<PersonaName, number> {
  const sum = personaNames.reduce((total, name) => total + (weights[name] ?? 0), 0);
  if (!(sum > 0)) throw new PersonasError('no weight is above 0');
  const shares = personaNames.map((name) => ({ name, share: (count * (weights[name] ?? 0)) / sum }));
  const counts = {} as Record<PersonaName, number>;
  for (const { name, share } of shares) counts[name] = Math.floor(share);
  const rest = () => count - personaNames.reduce((total, name) => total + counts[name], 0);
  const giveOne = (among: typeof shares) => {
    const [first, ...others] = among.filter(({ share }) => share > 0);
    if (first === undefined) return false;
    const missing = ({ name, share }: (typeof shares)[number]) => share - counts[name];
    const { name } = others.reduce((most, each) => (missing(each) > missing(most) ? each : most), first);
    counts[name]++;
    return true;
  };
  while (rest() > 0) giveOne(shares);
  if (counts.cloned % 2 === 1) {
    counts.cloned--;
    if (!giveOne(shares.filter(({ name }) => name !== 'cloned'))) {
      throw new PersonasError(
        'clones come in pairs: with nothing but clones the number of nodes must be even',
      );
    }
  }
  return counts;
}

interface Turn {
  readonly name: PersonaName;
  readonly ordinal: number;
}

/** Each persona's nodes as evenly over the swarm as can be: each in the middle of its part of it. */
function spread(counts: Readonly<Record<PersonaName, number>>): Turn[] {
  const turns: (Turn & { readonly at: number })[] = [];
  for (const name of personaNames) {
    for (let ordinal = 0; ordinal < counts[name]; ordinal++) {
      turns.push({ name, ordinal, at: (2 * ordinal + 1) / (2 * counts[name]) });
    }
  }
  // Sorting is stable: where two want the same place, the order of personas decides.
  return turns.sort((one, other) => one.at - other.at);
}
