import { expect, test } from 'vitest';
import { isFile, Targets } from './targets.js';

function setUp(sources: string[], files: Record<string, string>) {
  const complaints: string[] = [];
  const read = async (path: string) => {
    const text = files[path];
    if (text === undefined) throw new Error('no such file');
    return text;
  };
  return { targets: new Targets(sources, read, (problem) => complaints.push(problem)), complaints, files };
}

test('targets come from the configuration and from files, each once', async () => {
  const { targets, complaints } = setUp(['10.0.0.1:7430', '/etc/nodes'], {
    '/etc/nodes': '# rack 1\n10.0.0.2:7430\n\n  node.example:7430 # the old one\r\n10.0.0.1:7430\n[::1]:7430',
  });
  expect(await targets.read()).toEqual(['10.0.0.1:7430', '10.0.0.2:7430', 'node.example:7430', '[::1]:7430']);
  expect(complaints).toEqual([]);
});

test('files are read again', async () => {
  const { targets, files } = setUp(['/a'], { '/a': '10.0.0.1:1' });
  await targets.read();
  files['/a'] = '10.0.0.2:2\n10.0.0.3:3';
  expect(await targets.read()).toEqual(['10.0.0.2:2', '10.0.0.3:3']);
});

test('a bad line is named once, and costs nothing else', async () => {
  const { targets, complaints, files } = setUp(['/a'], { '/a': 'node.example\n10.0.0.1:1\n10.0.0.2:0' });
  expect(await targets.read()).toEqual(['10.0.0.1:1']);
  await targets.read();
  expect(complaints).toHaveLength(2);
  expect(complaints[0]).toMatch(/^\/a, line 1: "node.example" has no port/);
  expect(complaints[1]).toMatch(/^\/a, line 3: .*port 0/);
  files['/a'] = '';
  await targets.read();
  files['/a'] = 'node.example';
  await targets.read();
  expect(complaints).toHaveLength(3);
});

test('a file that cannot be read any more counts as it was', async () => {
  const { targets, complaints, files } = setUp(['/a'], { '/a': '10.0.0.1:1' });
  await targets.read();
  delete files['/a'];
  expect(await targets.read()).toEqual(['10.0.0.1:1']);
  expect(complaints).toEqual(['/a: no such file']);
});

test('what is no host:port is a file', () => {
  expect(['10.0.0.1:7430', 'a.example:1', '[::1]:1'].some(isFile)).toBe(false);
  expect(['/etc/nodes', 'nodes.txt', 'a.example'].every(isFile)).toBe(true);
});
