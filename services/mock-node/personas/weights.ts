// Reads --personas: names and weights.

import { suggestion } from '../../../shared/config/nearest.js';
import type { PersonaWeights } from './assignment.js';
import { type PersonaName, personaNames } from './persona.js';

const form = 'expected NAME=WEIGHT, and more of them after commas';

/**
 * @param text as in `healthy=70,slow=10`
 * @throws Error that names the part that is wrong
 */
export function parseWeights(text: string): PersonaWeights {
  const weights: Partial<Record<PersonaName, number>> = {};
  for (const part of text.split(',')) {
    const [name = '', weight, ...more] = part.split('=').map((each) => each.trim());
    if (name === '' || weight === undefined || more.length > 0) {
      throw new Error(`${JSON.stringify(part)}: ${form}`);
    }
    const persona = personaNames.find((each) => each === name);
    if (persona === undefined) {
      const known = personaNames.join(', ');
      throw new Error(`${name}: there is no such persona, but ${known}${suggestion(name, personaNames)}`);
    }
    if (weights[persona] !== undefined) throw new Error(`${name} is given twice`);
    if (!/^\d{1,9}(\.\d{1,9})?$/.test(weight)) {
      throw new Error(`${part.trim()}: expected a weight of 0 or more, as in ${name}=70 or ${name}=0.7`);
    }
    weights[persona] = Number(weight);
  }
  if (!Object.values(weights).some((weight) => weight > 0)) {
    throw new Error(`${text}: expected at least one weight above 0`);
  }
  return weights;
}
