// What a test does to the processes of a scene while its nodes are held.

import { linesOf } from '../../e2e/strangers/log.js';
import type { Strike } from './forms.js';
import { pause, resume } from './operator.js';
import type { Scene } from './scene.js';
import { isEnd } from './story.js';

/**
 * Strikes, and has everything running again, but for a pause.
 *
 * @returns what is to be done when the nodes are let go
 */
export async function strike(scene: Scene, how: Strike): Promise<() => Promise<void>> {
  const { stack } = scene;
  switch (how) {
    case 'KILL_PROVISIONER':
      await stack.end('provisioner', 'SIGKILL');
      await scene.beginLife();
      return async () => {};
    case 'KILL_DISCOVERY':
      await stack.end('discovery', 'SIGKILL');
      await stack.start('discovery');
      return async () => {};
    case 'KILL_NODES':
      await stack.end('mock-node', 'SIGKILL');
      await scene.startNodes();
      return async () => {};
    case 'KILL_NODES_FOR_LONG':
      await stack.end('mock-node', 'SIGKILL');
      await scene.until(() => noRunGoesOn(scene), 'the end of the runs whose nodes are away');
      await scene.startNodes();
      return async () => {};
    case 'REBOOT_NODES':
      await stack.end('mock-node', 'SIGTERM');
      await scene.startNodes();
      return async () => {};
    case 'PAUSE':
      await pause(stack);
      return async () => {
        await scene.until(() => noRunGoesOn(scene), 'the end of the runs that were paused');
        await resume(stack);
      };
  }
}

/** Also those that a pause does not touch. */
function noRunGoesOn(scene: Scene): boolean {
  const lines = linesOf(scene.stack.logFile('provisioner'));
  const count = (fits: (line: (typeof lines)[number]) => boolean) => lines.filter(fits).length;
  return count(isEnd) === count(({ msg }) => msg === 'run started');
}
