// What Configure sends: made once per pass of the sequence from the helper's reply, never per attempt.

import type { HelperReply } from '../helper/helper.js';

/** Everything that a node needs to leave provisioning mode. An absent text is empty. */
export interface Configuration {
  /** JSON object of strings, in the helper's order. */
  readonly configurationJson: string;
  readonly certificatePem: string;
  readonly caPem: string;
  readonly sslDir: string;
  readonly actionPolicies: ReadonlyMap<string, string>;
  readonly opaPolicies: ReadonlyMap<string, string>;
}

/** @returns what Configure sends for a reply of the helper; whether that may be sent is not looked at */
export function configurationFrom(reply: HelperReply): Configuration {
  return {
    configurationJson: encodeStrings(reply.configuration),
    certificatePem: reply.certificate,
    caPem: reply.ca,
    sslDir: reply.ssldir,
    actionPolicies: reply.actionPolicies,
    opaPolicies: reply.opaPolicies,
  };
}

/** Writes the members one by one: an object in between would move keys that look like numbers to the front. */
function encodeStrings(strings: ReadonlyMap<string, string>): string {
  const members = [...strings].map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return `{${members.join(',')}}`;
}
