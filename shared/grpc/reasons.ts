// The reasons with which an agent refuses a call: stable names in google.rpc.ErrorInfo.

/** Domain of every ErrorInfo that Slipway sends. */
export const errorDomain = 'slipway';

/** Reasons of agents (design, section 3). */
export const agentReasons = [
  'IDENTITY_MISMATCH',
  'REBOOTED',
  'PROOF_INVALID',
  'NOT_PROVISIONING',
  'PROVISIONING',
  'STOPPING',
  'LOCKED',
  'STALE_FENCE',
  'ARGUMENT_INVALID',
  'KEY_CHANGED',
  'PROVISIONING_ENABLED',
] as const;

export type AgentReason = (typeof agentReasons)[number];

/** @returns the reason, or undefined where an agent of another version sent one that is not known here */
export function parseAgentReason(text: string): AgentReason | undefined {
  return agentReasons.find((reason) => reason === text);
}
