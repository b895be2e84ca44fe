import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { nodeOptions, projectRoot, type ServiceName } from './project.js';

test.each<ServiceName>(['discovery', 'provisioner', 'mock-node'])(
  '%s is started as its container starts it',
  (service) => {
    const dockerfile = readFileSync(join(projectRoot(), 'Dockerfile'), 'utf8');
    const command = ['node', ...nodeOptions(service), `dist/services/${service}/main.js`];
    const words = command.map((word) => JSON.stringify(word)).join(', ');
    expect(dockerfile).toContain(`ENTRYPOINT [${words}]`);
  },
);
