import { expect, test } from 'vitest';
import { plainFailure } from './plain-failure.js';

test.each([
  [
    'what the system said is taken out of the sentence about it',
    'No connection established. Last error: Error: connect ECONNREFUSED 10.0.0.7:7412. Resolution note: ',
    'connect ECONNREFUSED 10.0.0.7:7412',
  ],
  [
    'one who speaks plain text to TLS is told to compare the modes',
    'No connection established. Last error: Failed to connect (2026-01-01T00:00:00.000Z). Resolution note: ',
    'the other side hung up before it said anything; does it speak TLS? Compare tls.mode on both sides',
  ],
  [
    'one who dialled another listener is told to look at the port',
    'The server does not implement the method /slipway.x/Report',
    'The server does not implement the method /slipway.x/Report: what answers there is another service, or another ' +
      'of its listeners; look at the port',
  ],
  ['anything else is left as it is', 'the token has expired', 'the token has expired'],
])('%s', (_name, message, plain) => {
  expect(plainFailure(message)).toBe(plain);
});
