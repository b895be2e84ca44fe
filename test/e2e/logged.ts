// Looks for what must not be told in what the processes of a stack have printed.

import { readFileSync } from 'node:fs';
import type { Stack } from '../../cli/launch/stack.js';

const services = ['discovery', 'provisioner', 'mock-node'] as const;

/** @returns which of these texts a process has printed, and which one has */
export function loggedOf(stack: Stack, texts: readonly string[]): string[] {
  return services.flatMap((service) => {
    const log = readFileSync(stack.logFile(service), 'utf8');
    return texts.filter((text) => log.includes(text)).map((text) => `${service}: ${text}`);
  });
}

/** @returns what nodes boot with, and the secret in it */
export function secretsOf({ trust }: Stack): string[] {
  if (trust === undefined) return [];
  return [trust.secret, trust.provisioningToken].map((path) => readFileSync(path, 'utf8').trim());
}
