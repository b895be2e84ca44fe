// What to say of a call that failed, and which exit code it comes to.

import { status } from '@grpc/grpc-js';
import { formatDuration } from '../../shared/durations.js';
import { type RpcError, statusName } from '../../shared/grpc/errors.js';
import { plainFailure } from '../../shared/grpc/plain-failure.js';
import { printable } from '../../shared/printable.js';
import { CommandError, type ExitCode, exitCodes } from '../command-error.js';
import { type Peer, type Target, usualAddress, variable } from './options.js';

/** The error of a call, for whoever called the command. */
export function failureOf(error: RpcError, target: Target): CommandError {
  return new CommandError(sentence(error, target), { exitCode: exitCodeOf(error.code), cause: error });
}

function sentence(error: RpcError, { peer, address, timeoutMs }: Target): string {
  const said = printable(plainFailure(error.message));
  const service = `${peer === 'provisioner' ? 'the provisioner' : 'discovery'} at ${address}`;
  switch (error.code) {
    case status.UNAVAILABLE:
      // With a reason it is the service's own word on something else that is away.
      return error.reason === '' ? `cannot reach ${service}: ${said}${whereElse(peer, address)}` : said;
    case status.DEADLINE_EXCEEDED:
      return `no answer from ${service} within ${formatDuration(timeoutMs)} (--timeout)`;
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
      return `${service} does not allow that: ${said}`;
    case status.UNIMPLEMENTED:
      return `${service}: ${said}`;
    case status.INTERNAL:
    case status.UNKNOWN:
      return `${service} failed: ${said} (${statusName(error.code)}); its log has more`;
    default:
      return said;
  }
}

/** Perhaps nobody has said where the service is. */
function whereElse(peer: Peer, address: string): string {
  if (address !== usualAddress[peer]) return '';
  return `; if it is elsewhere, say where with --${peer} or ${variable[peer]}`;
}

function exitCodeOf(code: status): ExitCode {
  switch (code) {
    // What a command sends was on its command line.
    case status.INVALID_ARGUMENT:
      return exitCodes.usage;
    case status.NOT_FOUND:
      return exitCodes.notFound;
    case status.UNAVAILABLE:
    case status.DEADLINE_EXCEEDED:
      return exitCodes.unreachable;
    case status.UNAUTHENTICATED:
    case status.PERMISSION_DENIED:
      return exitCodes.notAllowed;
    default:
      return exitCodes.failed;
  }
}
