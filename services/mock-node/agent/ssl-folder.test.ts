import { describe, expect, test } from 'vitest';
import { findSslFolder } from './ssl-folder.js';

const node = '/srv/nodes/web-1';

describe('ssl_dir leads into the folder of the node', () => {
  test.each([
    ['', 'ssl'],
    ['ssl', 'ssl'],
    [`${node}/ssl`, 'ssl'],
    [`${node}/ssl/`, 'ssl'],
    [node, ''],
    [`${node}/`, ''],
    ['/', ''],
    // On the machine that the node plays.
    ['/etc/site/ssl', 'etc/site/ssl'],
    ['../../etc', 'etc'],
    [`${node}/../web-2/ssl`, 'srv/nodes/web-2/ssl'],
    [`${node}-2/ssl`, 'srv/nodes/web-1-2/ssl'],
  ])('%j', (sslDir, folder) => {
    expect(findSslFolder(sslDir, node)).toEqual({ ok: true, folder });
  });
});

describe('ssl_dir is refused', () => {
  test.each([
    'a\u0000b',
    'a\nb',
    'state',
    `${node}/state/staging-1`,
    'policies',
    'opa/x',
    'server.seed',
    `${node}/ssl/private.pem`,
    'etc/ca.pem/site',
    'x'.repeat(256),
    'x/'.repeat(600),
  ])('%j', (sslDir) => {
    expect(findSslFolder(sslDir, node).ok).toBe(false);
  });
});
