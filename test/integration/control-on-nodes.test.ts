// Reprovision on real agents over TLS: by a certificate that is learnt there, with several secrets, and where the reply
// is lost.

import { afterEach, describe, expect, it } from 'vitest';
import type { Place } from '../../services/provisioner/control/meeting.js';
import { reprovision } from '../../services/provisioner/control/reprovision.js';
import {
  createDialer,
  createFirstContact,
  type DialerOptions,
} from '../../services/provisioner/run/dialer.js';
import { Fences } from '../../services/provisioner/run/fences.js';
import type { FirstContact, NodeAgent } from '../../services/provisioner/run/node.js';
import { systemClock } from '../../shared/clock.js';
import type { Identity } from '../../shared/identity.js';
import { parseCidr } from '../../shared/net/dial-policy.js';
import { systemLookup } from '../../shared/net/lookup.js';
import { Secret } from '../../shared/secret.js';
import { certificateAt, cleanUp, createBench, losing, site, startNodes, waitFor } from './run-support.js';

afterEach(cleanUp);

const clock = systemClock;
const dialing: DialerOptions = {
  site: 'test',
  provisioner: 'p1',
  maxInventoryBytes: 4 << 20,
  networks: [parseCidr('127.0.0.0/8')],
  tlsMode: 'required',
  clock,
  observer: { observe: () => {} },
};

/** One node, over TLS, that has been configured and has restarted. */
async function configuredNode() {
  const { app, nodes } = await startNodes(1, await site.token(clock.now() / 1000));
  const [sighted] = nodes;
  if (sighted === undefined) throw new Error('no node');
  const { runAll } = createBench({ tokens: ['s3cret'] });
  expect((await runAll(nodes)).map(({ outcome }) => outcome.kind)).toEqual(['PROVISIONED']);
  await waitFor(() => app.swarm.node(0)?.phase === 'CONFIGURED');
  const isBack = () => app.swarm.node(0)?.phase === 'PROVISIONING';
  return { sighted, isBack };
}

function put(identity: Identity, place: Place, firstContact: FirstContact = createFirstContact(dialing)) {
  return reprovision(
    {
      dial: createDialer(dialing),
      firstContact,
      networks: dialing.networks,
      lookup: systemLookup,
      identifyTimeoutMs: 2_000,
      rpcTimeoutMs: 5_000,
      clock,
      random: Math.random,
      fences: new Fences(clock),
      tokens: () => [new Secret('newer'), new Secret('s3cret')],
    },
    identity,
    place,
    new AbortController().signal,
  );
}

function losingReprovision(when: 'BEFORE' | 'AFTER'): FirstContact {
  return (address) => {
    const contact = createFirstContact(dialing)(address);
    const agent: NodeAgent = losing(
      () => contact.agent,
      'reprovision',
      when,
    )({ address, certificateSha256: '' });
    return { ...contact, agent };
  };
}

describe('a configured node, over TLS,', () => {
  it('goes back into provisioning mode where only its address is known', async () => {
    const { sighted, isBack } = await configuredNode();
    const { address, identity } = sighted;
    const done = await put(identity, { kind: 'GIVEN', address });
    expect(done.restartingInMs).toBeGreaterThan(0);
    await waitFor(isBack);
    await expect(put(identity, { kind: 'GIVEN', address })).rejects.toMatchObject({ reason: 'PROVISIONING' });
  });

  it('is not taken for the boot that is known where it shows another certificate', async () => {
    const { sighted, isBack } = await configuredNode();
    await expect(put(sighted.identity, { kind: 'KNOWN', node: sighted })).rejects.toMatchObject({
      kind: 'UNREACHABLE',
      message: expect.stringContaining('shows another certificate'),
    });
    const known = { ...sighted, certificateSha256: await certificateAt(sighted.address) };
    await put(sighted.identity, { kind: 'KNOWN', node: known });
    await waitFor(isBack);
  });

  it.each(['BEFORE', 'AFTER'] as const)('does though the reply is lost %s it was asked', async (when) => {
    const { sighted, isBack } = await configuredNode();
    const { address, identity } = sighted;
    await put(identity, { kind: 'GIVEN', address }, losingReprovision(when));
    await waitFor(isBack);
  });
});
