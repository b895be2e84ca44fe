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
  ['a deadline is told plainly', 'Deadline exceeded', 'no answer in time'],
  [
    'a node that took the connection and did not answer',
    'Deadline exceeded after 2.025s,LB pick: 0.016s,remote_addr=10.0.0.7:7430',
    'no answer within 2 s',
  ],
  [
    'a node with which no connection was made',
    'Deadline exceeded after 1.999s,name resolution: 0.001s,Waiting for LB pick',
    'no connection within 2 s',
  ],
  [
    'a name that nobody resolved',
    'Deadline exceeded after 0.301s,waiting for name resolution',
    'its name was not resolved within 0.3 s',
  ],
  ['anything else is left as it is', 'the token has expired', 'the token has expired'],
])('%s', (_name, message, plain) => {
  expect(plainFailure(message)).toBe(plain);
});
