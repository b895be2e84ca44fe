// A helper that answers what a test says.

import type {
  AskOptions,
  Helper,
  HelperInput,
  HelperReply,
} from '../../services/provisioner/helper/helper.js';

export class FakeHelper implements Helper {
  readonly asked: HelperInput[] = [];
  /** What it answers; or how it fails, or waits. */
  answer: (signal: AbortSignal, options: AskOptions) => Promise<HelperReply> = async (_signal, options) => {
    options.onStart?.();
    return helperReply();
  };

  ask(input: HelperInput, signal: AbortSignal, options: AskOptions = {}): Promise<HelperReply> {
    this.asked.push(input);
    return this.answer(signal, options);
  }

  /** Answers every node the same. */
  replies(reply: Partial<HelperReply>): void {
    this.answer = async (_signal, options) => {
      options.onStart?.();
      return helperReply(reply);
    };
  }
}

/** A reply that configures its node, but for what is said. */
export function helperReply(reply: Partial<HelperReply> = {}): HelperReply {
  return {
    defer: false,
    shutdown: false,
    msg: '',
    key: undefined,
    certificate: '',
    ca: '',
    ssldir: '',
    upgrade: '',
    configuration: new Map([['plugin.choria.server.provision', 'false']]),
    actionPolicies: new Map(),
    opaPolicies: new Map(),
    retryAfterMs: undefined,
    ...reply,
  };
}
