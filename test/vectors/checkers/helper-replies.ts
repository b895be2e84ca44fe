// helper-replies.json: how a helper ended, what it wrote, and what follows, down to the claims of the token that is
// signed for the node.

import { z } from 'zod';
import { HelperError, type HelperReply } from '../../../services/provisioner/helper/helper.js';
import { type HelperRun, judge } from '../../../services/provisioner/helper/judge.js';
import type { EncryptedKey } from '../../../services/provisioner/run/configuration.js';
import {
  type Credentials,
  type DecisionContext,
  decide,
} from '../../../services/provisioner/run/decision.js';
import type { Secret } from '../../../shared/secret.js';
import { encryptKey } from '../../../shared/trust/key-transfer.js';
import { checker, same, type Verdict } from '../checker.js';
import { mintServerToken, nodePublicKey } from '../mint-server-token.js';

const serverJwtShape = z.object({
  ou: z.string(),
  collectives: z.array(z.string()),
  pub_subjects: z.array(z.string()).optional(),
  permissions: z.record(z.string(), z.boolean()).optional(),
  exp: z.number(),
  exp_rule: z.enum(['default', 'seconds from now', 'reply']),
});

const shape = z.object({
  name: z.string(),
  stdout: z.string(),
  exit_code: z.number().int().nullable(),
  signal: z.string().optional(),
  expected: z.object({
    outcome: z.string(),
    reason: z.string().optional(),
    msg: z.string().optional(),
    target: z.string().optional(),
    configuration: z.record(z.string(), z.string()).optional(),
    server_jwt: serverJwtShape.optional(),
  }),
});

const fileShape = z.object({
  context: z.object({
    now: z.number(),
    identity: z.string(),
    features: z.object({ jwt: z.boolean(), ed25519: z.boolean(), upgrades: z.boolean() }),
    server_jwt_validity_seconds: z.number(),
    /** When the signing token expires; null without one. */
    issuer_exp: z.number().nullable(),
    ecdh_public_known: z.boolean(),
    upgrades_repository: z.string().nullable(),
    upgrades_optional: z.boolean(),
    node: z.object({ version: z.string(), upgradable: z.boolean() }),
  }),
});

type Vector = z.output<typeof shape>;
type Expected = Vector['expected'];
type Context = z.output<typeof fileShape>['context'];

export const helperReplies = checker(shape, ({ name }) => name, check, { shape: fileShape });

/** What a case does not mention is not compared. */
async function check(vector: Vector, { context }: z.output<typeof fileShape>): Promise<Verdict> {
  const { expected } = vector;
  const got = await answer(vector, context);
  return same(expected, {
    outcome: got.outcome,
    ...(expected.reason !== undefined && { reason: got.reason }),
    ...(expected.msg !== undefined && { msg: got.msg }),
    ...(expected.target !== undefined && { target: got.target }),
    ...(expected.configuration && { configuration: got.configuration }),
    ...(expected.server_jwt && { server_jwt: got.server_jwt }),
  });
}

async function answer(vector: Vector, context: Context): Promise<Expected> {
  let reply: HelperReply;
  try {
    reply = judge(toRun(vector));
  } catch (error) {
    if (error instanceof HelperError) return { outcome: 'failed', reason: error.reason };
    throw error;
  }
  const decision = decide(reply, toDecisionContext(context));
  const configuration = Object.fromEntries(reply.configuration);
  switch (decision.kind) {
    case 'DEFER':
      return { outcome: 'defer', msg: reply.msg };
    case 'SHUT_DOWN':
      return { outcome: 'shutdown', msg: decision.message };
    case 'FAILED':
    case 'UPGRADE_FAILED':
      return { outcome: 'failed', reason: decision.reason };
    case 'UPGRADE': {
      const { target, credentials } = decision;
      return { outcome: 'upgrade', target, configuration, ...(await serverJwt(credentials, context)) };
    }
    case 'CONFIGURE': {
      const token = await serverJwt(decision.credentials, context);
      return { outcome: 'configure', msg: reply.msg, configuration, ...token };
    }
  }
}

const expiryRules = { DEFAULT: 'default', SECONDS_FROM_NOW: 'seconds from now', REPLY: 'reply' } as const;

async function serverJwt({ server }: Credentials, context: Context): Promise<Pick<Expected, 'server_jwt'>> {
  if (server === undefined) return {};
  const minted = await mintServerToken(server.claims, context.now, context.issuer_exp ?? undefined);
  return { server_jwt: { ...minted, exp_rule: expiryRules[server.expiryRule] } };
}

function toDecisionContext(context: Context): DecisionContext {
  return {
    identity: context.identity,
    features: context.features,
    node: context.node,
    upgradesRepository: context.upgrades_repository ?? undefined,
    upgradesOptional: context.upgrades_optional,
    upgradedFrom: [],
    publicKey: context.features.ed25519 ? nodePublicKey : undefined,
    encryptKey: context.ecdh_public_known ? encrypt : undefined,
    now: context.now,
    serverJwtValidityMs: context.server_jwt_validity_seconds * 1000,
  };
}

/** Which keys are exchanged makes no difference. */
function encrypt(key: Secret): EncryptedKey {
  const any = Buffer.alloc(32, 1);
  return { pem: encryptKey(key, any), nodeEcdhPublic: any, provisionerEcdhPublic: any };
}

/** A case without an exit code was killed by the service at its time limit. */
function toRun({ stdout, exit_code: code, signal }: Vector): HelperRun {
  const timedOut = code === null && signal === 'SIGKILL';
  return {
    end: timedOut ? { how: 'TIMED_OUT' } : { how: 'EXITED', code, signal: signal ?? null },
    stdout: Buffer.from(stdout),
    stderr: '',
    timeoutMs: 10_000,
  };
}
