import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { RpcError } from '../../shared/grpc/errors.js';
import { failureOf } from './failure.js';
import type { Target } from './options.js';

function said(target: Partial<Target>, error = new RpcError(status.UNAVAILABLE, 'nobody there')): string {
  const usual = { peer: 'provisioner', address: '127.0.0.1:7420', tls: undefined, timeoutMs: 5 } as const;
  return failureOf(error, { ...usual, ...target }).message;
}

test('who has not said where the service is hears how to', () => {
  expect(said({})).toBe(
    'cannot reach the provisioner at 127.0.0.1:7420: nobody there; if it is elsewhere, say where with --provisioner or ' +
      'SLIPWAY_PROVISIONER',
  );
  expect(said({ peer: 'discovery', address: '127.0.0.1:7412' })).toMatch(/--discovery or SLIPWAY_DISCOVERY$/);
  expect(said({ address: '10.0.0.7:7420' })).toMatch(/nobody there$/);
});

test('nothing that a service says moves the cursor', () => {
  expect(said({}, new RpcError(status.FAILED_PRECONDITION, 'n1 says \u001b[2J\u009b1m'))).toBe(
    'n1 says \\u{1b}[2J\\u{9b}1m',
  );
});
