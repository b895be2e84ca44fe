#!/usr/bin/env node
// Decides as facts.ts does, in a process that lives on from node to node: for `helper_mode: persistent`. What takes
// long, such as connecting to a database, is done once, before the loop. An exception ends the process: the node fails
// with what it says, and another process is started for the next one.
// Node runs this file as it is from version 22.18 on; before that, `node --import tsx facts-lines.ts` does.

import { createInterface } from 'node:readline';

interface Request {
  readonly identity: string;
  /** A string that holds JSON, so it is decoded once more. */
  readonly inventory: string;
}

interface Facts {
  readonly retired?: boolean;
  readonly role?: string;
}

/** The part of a reply that this helper makes use of. */
interface Reply {
  readonly defer?: boolean;
  readonly shutdown?: boolean;
  readonly msg?: string;
  readonly retry_after?: string;
  readonly configuration?: Readonly<Record<string, string>>;
}

function decide(request: Request): Reply {
  const { facts }: { facts: Facts } = JSON.parse(request.inventory);

  if (facts.retired) return { shutdown: true, msg: 'this machine is retired' };
  if (facts.role === 'unassigned') {
    return { defer: true, msg: 'waiting for a role', retry_after: '10m' };
  }

  return {
    configuration: {
      // Out of provisioning mode: without this the node would come back for more.
      'plugin.choria.server.provision': 'false',
      identity: request.identity,
      collectives: ['mcollective', ...(facts.role ? [facts.role] : [])].join(','),
      // Every value is a string, also where it means a number.
      registerinterval: String(300),
    },
  };
}

// The loop ends when the provisioner closes standard input.
for await (const line of createInterface({ input: process.stdin })) {
  const request: Request = JSON.parse(line);
  // Says for which node it is: an answer that got out of step is refused, and configures no other node.
  const reply = { identity: request.identity, ...decide(request) };
  process.stdout.write(`${JSON.stringify(reply)}\n`);
}
