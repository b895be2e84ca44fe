import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { RpcError } from '../../../shared/grpc/errors.js';
import { FakeClock } from '../../../test/fakes/fake-clock.js';
import { FailedReports } from './failed-reports.js';

test('why reports do not get through is said at once, and then once a minute with their number', async () => {
  const [clock, said] = [new FakeClock(), [] as string[]];
  const failed = new FailedReports(clock, (message) => said.push(message));
  const refused = new RpcError(status.UNAVAILABLE, 'TLS: certificate has expired');
  for (let second = 0; second < 61; second++) {
    failed.count(refused);
    await clock.advance(1_000);
  }
  failed.count(new RpcError(status.UNAUTHENTICATED, 'the token expired', { reason: 'TOKEN_INVALID' }));
  expect(said).toEqual([
    'a report did not get through: UNAVAILABLE: TLS: certificate has expired',
    'a report did not get through: UNAVAILABLE: TLS: certificate has expired (60 since this was said last)',
  ]);
});

test('what happens in the normal course of things is not said', () => {
  const failed = new FailedReports(new FakeClock(), () => expect.fail());
  failed.count(new RpcError(status.RESOURCE_EXHAUSTED, 'later', { reason: 'RATE_LIMITED' }));
  failed.count(new RpcError(status.FAILED_PRECONDITION, 'late', { reason: 'SEQUENCE_STALE' }));
  failed.count(new RpcError(status.CANCELLED, 'stopped'));
});
