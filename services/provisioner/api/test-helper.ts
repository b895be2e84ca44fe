// TestHelper: an operator sees what the helper does and what would follow.

import { z } from 'zod';
import type {
  TestHelperRequest,
  TestHelperResponse,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import type { CallContext } from '../../../shared/grpc/handler.js';
import type { OperatorControl } from '../control/control.js';
import type { DryRunInput } from '../control/dry-run/dry-run.js';
import { checked, invalid } from './arguments.js';
import { callerOf, toldToCaller } from './control-status.js';
import { toTestHelperResponse } from './convert-dry-run.js';
import { identityArgument } from './identity-argument.js';

/** So that it fits into a message with room to spare: bytes. */
const longestInput = 4_000_000;

const identitySchema = z.object({ identity: identityArgument });
const inputSchema = z.object({
  inputJson: z.string().refine((json) => Buffer.byteLength(json) <= longestInput, {
    error: `is longer than ${longestInput} bytes`,
  }),
});

/** @throws RpcError */
export async function testHelper(
  control: Pick<OperatorControl, 'dryRun'>,
  request: TestHelperRequest,
  context: CallContext,
): Promise<TestHelperResponse> {
  const input = inputOf(request);
  const run = await toldToCaller(() => control.dryRun(input, context.signal));
  const { outcome, reason } = run;
  const fields = { by: callerOf(context), outcome, ...(reason !== '' && { reason }) };
  const identity = input.kind === 'HOST' && { identity: input.identity };
  context.log.info({ ...identity, ...fields }, 'the helper was tried out by an operator');
  return toTestHelperResponse(run);
}

function inputOf({ input }: TestHelperRequest): DryRunInput {
  switch (input?.$case) {
    case 'identity':
      return { kind: 'HOST', ...checked(identitySchema, { identity: input.value }) };
    case 'inputJson':
      return { kind: 'GIVEN', json: checked(inputSchema, { inputJson: input.value }).inputJson };
    case undefined:
      throw invalid([{ field: 'input', description: 'is missing: name a host, or give an input' }]);
  }
}
