#!/usr/bin/env node
// Configures a node by its facts: nodes of a role share a collective, and retired machines are shut down.
// Node runs this file as it is from version 22.18 on; before that, `node --import tsx facts.ts` does.

import { json } from 'node:stream/consumers';

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

const request = (await json(process.stdin)) as Request;
process.stdout.write(JSON.stringify(decide(request)));
