// What must be gone when a site is at rest: connections to nodes, processes, files that were for a moment only.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServiceName } from '../../../cli/launch/project.js';
import type { Stack } from '../../../cli/launch/stack.js';
import { type Footprint, footprintOf } from './footprint.js';
import { services } from './footprint-watch.js';
import type { Machine } from './machine.js';
import type { Site } from './storm.js';

/**
 * Open files of a service at rest, whatever the number of nodes: those that every process of Node.js has, listeners,
 * the lines between the services, and what the monitor was asked over.
 */
const mostFiles = 60;

/** @returns what a site at rest still holds that it should not; empty where nothing is left */
export function leftOpen(site: Site): string[] {
  return services.flatMap((service) => {
    const found = footprintOf(site.pidOf(service) ?? 0);
    if (found === undefined) return [`${service} does not run`];
    return leftOf(service, found, site.stack).map((what) => `${service}: ${what}`);
  });
}

function leftOf(service: ServiceName, found: Footprint, { ports }: Stack): string[] {
  const { files, connections, children } = found;
  const toNodes = connections.filter((ends) => ends.some((end) => end.endsWith(`:${ports.swarm}`)));
  const wanted = service === 'provisioner' ? 1 : 0;
  const grandchildren = children.flatMap((pid) => footprintOf(pid)?.children ?? []);
  return [
    ...(toNodes.length > 0 ? [`${toNodes.length} connections to nodes, such as ${toNodes[0]}`] : []),
    ...(files > mostFiles ? [`${files} open files`] : []),
    ...(children.length !== wanted ? [`${children.length} child processes`] : []),
    ...(grandchildren.length > 0 ? [`${grandchildren.length} helpers`] : []),
  ];
}

/**
 * @param temporary the folder that the services had for what is temporary
 * @returns files that were for a moment only, and are there; empty where there are none
 */
export function leftOnDisk(stack: Stack, machines: readonly Machine[], temporary: string): string[] {
  const ofNodes = machines
    .filter(({ disk }) => disk.confirmed)
    .flatMap(({ name }) => {
      const state = join(stack.nodesDirectory, name, 'state');
      return filesIn(state).flatMap((file) => (file === 'manifest.json' ? [] : [`${name}/state/${file}`]));
    });
  const ofProvisioner = Object.entries(kept).flatMap(([folder, files]) =>
    filesIn(join(stack.directory, folder)).flatMap((file) =>
      files.includes(file) ? [] : [`${folder}/${file}`],
    ),
  );
  return [...ofNodes, ...ofProvisioner, ...filesIn(temporary).map((file) => join(temporary, file))];
}

/** What the provisioner keeps, by folder. */
const kept: Readonly<Record<string, readonly string[]>> = {
  'provisioner-data': ['paused.json', 'lock', 'events', 'events.head'],
  'provisioner-data/events': ['data.mdb', 'lock.mdb'],
};

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
