// The images' health check: asks the gRPC health service of a listener on this machine for its state, which is
// open to everybody. Whether the listener is encrypted is seen by trying: it is asked with TLS, then without.
// Usage: node health.js PORT. Exits 0 where it says SERVING.

import { Client, credentials } from '@grpc/grpc-js';

const port = process.argv[2] ?? '';
const serving = 1;

const encrypted = credentials.createSsl(null, null, null, { rejectUnauthorized: false });
const plain = credentials.createInsecure();

try {
  const status = await ask(encrypted).catch(() => ask(plain));
  process.exitCode = status === serving ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

// A HealthCheckRequest without a service is empty; of a HealthCheckResponse only field 1, the status, is set.
function ask(channelCredentials) {
  const client = new Client(`127.0.0.1:${port}`, channelCredentials, { 'grpc.enable_http_proxy': 0 });
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      () => Buffer.alloc(0),
      (reply) => reply[1],
      {},
      { deadline: Date.now() + 2_000 },
      (error, status) => (error === null ? resolve(status) : reject(error)),
    );
  }).finally(() => client.close());
}
