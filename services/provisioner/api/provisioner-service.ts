// What operators ask of the provisioner, and tell it (design, section 10).

import { status } from '@grpc/grpc-js';
import { z } from 'zod';
import { type Clock, systemClock } from '../../../shared/clock.js';
import {
  type GetHostRequest,
  type ListHostsRequest,
  type PauseResponse,
  type ProvisionerServiceServer,
  ProvisionerServiceService,
  type ProvisionHostRequest,
  type ReleaseHostRequest,
  type ReprovisionHostRequest,
  type ResumeResponse,
  type TestHelperRequest,
} from '../../../shared/gen/slipway/provisioner/v1/provisioner.js';
import { RpcError } from '../../../shared/grpc/errors.js';
import { type CallContext, unary } from '../../../shared/grpc/handler.js';
import type { ServedService } from '../../../shared/grpc/server.js';
import type { Logger } from '../../../shared/logger.js';
import { Turns } from '../../../shared/turns.js';
import type { OperatorControl } from '../control/control.js';
import { type OperatorPause, PauseNotKeptError } from '../fleet/pause.js';
import type { Overview } from '../standing/overview.js';
import { provisionerAccess } from './access.js';
import { checked } from './arguments.js';
import { callerOf } from './control-status.js';
import { toPauseStatus } from './convert-pause.js';
import { toStatus } from './convert-status.js';
import { getHost } from './get-host.js';
import { listHosts } from './list-hosts.js';
import { provisionHost } from './provision-host.js';
import type { Recall } from './recall.js';
import { releaseHost } from './release-host.js';
import { reprovisionHost } from './reprovision-host.js';
import { testHelper } from './test-helper.js';

/** Characters that an operator may say about a pause. */
const longestMessage = 1024;

const messageSchema = z.object({
  message: z.string().refine((message) => [...message].length <= longestMessage, {
    error: ({ input }) =>
      `has ${[...String(input)].length} characters; at most ${longestMessage} are allowed`,
  }),
});

export interface ProvisionerServiceOptions {
  readonly pause: OperatorPause;
  readonly overview: Overview;
  readonly control: OperatorControl;
  readonly recall: Recall;
  readonly log: Logger;
  /** By which callers take turns. */
  readonly clock?: Clock;
}

/** Serves slipway.provisioner.v1.ProvisionerService. */
export function provisionerService(options: ProvisionerServiceOptions): ServedService {
  const { pause, overview, control, recall, log, clock = systemClock } = options;
  const turns = new Turns(clock);
  const change = (turn: (by: string, message: string) => Promise<void>) =>
    unary(log, async (request: { message: string }, context: CallContext) => {
      const { message } = checked(messageSchema, request);
      await turn(callerOf(context), message).catch(refuse);
      return { pause: toPauseStatus(pause.note) } satisfies PauseResponse & ResumeResponse;
    });
  const implementation: ProvisionerServiceServer = {
    getStatus: unary(log, () => toStatus(overview.status())),
    listHosts: unary(log, (request: ListHostsRequest, { signal }) =>
      turns.take(() => {
        signal.throwIfAborted();
        return listHosts(overview.accounts, request);
      }),
    ),
    getHost: unary(log, (request: GetHostRequest) => getHost(overview, recall, request)),
    pause: change((by, message) => pause.pause(by, message)),
    resume: change((by, message) => pause.resume(by, message)),
    provisionHost: unary(log, (request: ProvisionHostRequest, context) =>
      provisionHost(control, request, context),
    ),
    reprovisionHost: unary(log, (request: ReprovisionHostRequest, context) =>
      reprovisionHost(control, request, context),
    ),
    releaseHost: unary(log, (request: ReleaseHostRequest, context) => releaseHost(control, request, context)),
    testHelper: unary(log, (request: TestHelperRequest, context) => testHelper(control, request, context)),
  };
  return { definition: ProvisionerServiceService, implementation, access: provisionerAccess };
}

function refuse(error: unknown): never {
  if (!(error instanceof PauseNotKeptError)) throw error;
  throw new RpcError(status.DATA_LOSS, error.message, { reason: 'PAUSE_NOT_KEPT', cause: error });
}
