import { Metadata, type ServiceError, type StatusObject, status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { Any } from '../gen/google/protobuf/any.js';
import { ErrorInfo } from '../gen/google/rpc/error_details.js';
import { Status } from '../gen/google/rpc/status.js';
import { fromServiceError, RpcError, statusName, toStatus } from './errors.js';

function received(sent: Partial<StatusObject>): ServiceError {
  const { code = status.UNKNOWN, details = '', metadata = new Metadata() } = sent;
  return Object.assign(new Error(`${code}: ${details}`), { code, details, metadata });
}

function withDetails(bytes: Buffer): ServiceError {
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', bytes);
  return received({ code: status.ABORTED, details: 'locked', metadata });
}

function detailsBytes(sent: StatusObject): Buffer {
  const [bytes] = sent.metadata.get('grpc-status-details-bin');
  if (!Buffer.isBuffer(bytes)) throw new Error('no details');
  return bytes;
}

test('all that an error says reaches the other side', () => {
  const sent = new RpcError(status.ABORTED, 'another site holds the node', {
    reason: 'LOCKED',
    metadata: { site: 'blue' },
    retryAfterMs: 1500,
    violations: [{ field: 'splay', description: 'over 1 h' }],
  });
  const got = fromServiceError(received(toStatus(sent)));
  expect(got).toBeInstanceOf(RpcError);
  expect(got).toMatchObject({
    code: status.ABORTED,
    message: 'another site holds the node',
    reason: 'LOCKED',
    metadata: { site: 'blue' },
    retryAfterMs: 1500,
    violations: [{ field: 'splay', description: 'over 1 h' }],
    neverConnected: false,
  });
});

test('details are types that clients of every language know', () => {
  const { details } = Status.decode(
    detailsBytes(
      toStatus(new RpcError(status.ABORTED, 'm', { reason: 'LOCKED', retryAfterMs: 0, violations: [] })),
    ),
  );
  expect(details.map((any) => any.typeUrl)).toEqual([
    'type.googleapis.com/google.rpc.ErrorInfo',
    'type.googleapis.com/google.rpc.RetryInfo',
  ]);
});

test('an error without anything beside its message has no details', () => {
  expect(toStatus(new RpcError(status.NOT_FOUND, 'no such host')).metadata.getMap()).toEqual({});
});

test('an error that nobody planned does not show what it is', () => {
  const sent = toStatus(new Error('ENOENT: /etc/slipway/secret'));
  expect(sent.code).toBe(status.INTERNAL);
  expect(sent.details).toBe('internal error');
  expect(sent.metadata.getMap()).toEqual({});
  expect(toStatus('a string')).toMatchObject({ code: status.INTERNAL, details: 'internal error' });
});

test('details stay within 4 KiB whatever they are to hold', () => {
  const long = '€'.repeat(100_000);
  const many = Array.from({ length: 500 }, (_, number) => ({ field: `${number}${long}`, description: long }));
  const sent = toStatus(
    new RpcError(status.INVALID_ARGUMENT, `\ud800${long}`, {
      reason: 'ARGUMENT_INVALID',
      metadata: Object.fromEntries(many.map(({ field }) => [field, long])),
      retryAfterMs: 1e300,
      violations: many,
    }),
  );
  expect(Buffer.byteLength(sent.details)).toBeLessThanOrEqual(1024);
  expect(detailsBytes(sent).length).toBeLessThanOrEqual(4096);
  const got = fromServiceError(received(sent));
  expect(got.reason).toBe('ARGUMENT_INVALID');
  expect(got.violations).toHaveLength(16);
  expect(got.violations[0]?.field).toMatch(/^0€+$/);
});

test('texts are cut no more than they must be', () => {
  const description = 'x'.repeat(900);
  const got = fromServiceError(
    received(
      toStatus(new RpcError(status.INVALID_ARGUMENT, 'm', { violations: [{ field: 'f', description }] })),
    ),
  );
  expect(got.violations[0]?.description).toBe(description);
});

test.each([
  ['no protobuf at all', Buffer.from('junk that is no protobuf')],
  [
    'cut short',
    detailsBytes(toStatus(new RpcError(status.ABORTED, 'm', { reason: 'LOCKED' }))).subarray(0, 20),
  ],
  [
    'an ErrorInfo that is none',
    Buffer.from(
      Status.encode({
        code: 10,
        message: '',
        details: [{ typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo', value: Buffer.from([0xff, 0xff]) }],
      }).finish(),
    ),
  ],
])('details that are %s say nothing and break nothing', (_what, bytes) => {
  expect(fromServiceError(withDetails(bytes))).toMatchObject({
    code: status.ABORTED,
    message: 'locked',
    reason: '',
    retryAfterMs: undefined,
  });
});

test('one detail that cannot be read does not hide the others', () => {
  const { details } = Status.decode(
    detailsBytes(toStatus(new RpcError(status.ABORTED, 'm', { reason: 'LOCKED', retryAfterMs: 5 }))),
  );
  const junk: Any = { typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo', value: Buffer.from([0xff]) };
  const bytes = Buffer.from(Status.encode({ code: 10, message: '', details: [junk, ...details] }).finish());
  expect(fromServiceError(withDetails(bytes))).toMatchObject({ reason: 'LOCKED', retryAfterMs: 5 });
});

test('a reason of another domain is none of ours', () => {
  const value = Buffer.from(ErrorInfo.encode({ reason: 'LOCKED', domain: 'envoy', metadata: {} }).finish());
  const any = Any.decode(Any.encode({ typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo', value }).finish());
  const bytes = Buffer.from(Status.encode({ code: 10, message: '', details: [any] }).finish());
  expect(fromServiceError(withDetails(bytes)).reason).toBe('');
});

test('a code that gRPC does not have is UNKNOWN', () => {
  expect(fromServiceError(received({ code: 99 as status })).code).toBe(status.UNKNOWN);
  expect(statusName(99)).toBe('UNKNOWN');
  expect(statusName(14)).toBe('UNAVAILABLE');
});

test('an error cannot be sent as OK', () => {
  expect(toStatus(new RpcError(status.OK, 'not an error')).code).toBe(status.INTERNAL);
});

test.each([
  [
    true,
    status.UNAVAILABLE,
    'No connection established. Last error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: ',
  ],
  [true, status.UNAVAILABLE, 'Name resolution failed for target dns:node.example:7430'],
  [true, status.UNAVAILABLE, 'Channel closed before call started'],
  [
    true,
    status.DEADLINE_EXCEEDED,
    'Deadline exceeded after 0.301s,name resolution: 0.002s,Waiting for LB pick',
  ],
  [true, status.DEADLINE_EXCEEDED, 'Deadline exceeded after 0.301s,waiting for name resolution'],
  [
    false,
    status.DEADLINE_EXCEEDED,
    'Deadline exceeded after 0.301s,LB pick: 0.003s,remote_addr=127.0.0.1:7430',
  ],
  [false, status.DEADLINE_EXCEEDED, 'Deadline exceeded after 2.1s,previous attempts: 1,Waiting for LB pick'],
  [false, status.DEADLINE_EXCEEDED, 'Deadline exceeded'],
  [false, status.UNAVAILABLE, 'Connection dropped'],
  [false, status.UNAVAILABLE, 'read ECONNRESET'],
  [false, status.UNAVAILABLE, 'Stream refused by server'],
  [false, status.UNAVAILABLE, 'the server is stopping'],
  [false, status.UNKNOWN, 'No connection established. Last error: null'],
] as const)('neverConnected is %s for %d "%s"', (neverConnected, code, details) => {
  expect(fromServiceError(received({ code, details })).neverConnected).toBe(neverConnected);
});

test('a peer that only says what grpc-js says was reached all the same', () => {
  const metadata = new Metadata();
  metadata.set('content-type', 'application/grpc+proto');
  const error = received({ code: status.UNAVAILABLE, details: 'No connection established', metadata });
  expect(fromServiceError(error).neverConnected).toBe(false);
});
