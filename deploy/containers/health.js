// The images' health check: asks the gRPC health service of a listener on this machine for its state.
// Usage: node health.js PORT. Exits 0 where it says SERVING.

import { Client, credentials } from '@grpc/grpc-js';

const port = process.argv[2] ?? '';
const serving = 1;

const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
  'grpc.enable_http_proxy': 0,
});

// A HealthCheckRequest without a service is empty; of a HealthCheckResponse only field 1, the status, is set.
client.makeUnaryRequest(
  '/grpc.health.v1.Health/Check',
  () => Buffer.alloc(0),
  (reply) => reply[1],
  {},
  { deadline: Date.now() + 2_000 },
  (error, status) => {
    client.close();
    if (error !== null) process.stderr.write(`${error.message}\n`);
    process.exitCode = status === serving ? 0 : 1;
  },
);
