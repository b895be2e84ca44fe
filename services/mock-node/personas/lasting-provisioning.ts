// For nodes that loop: whatever they are configured with, provisioning mode stays on.

import { basename } from 'node:path';
import type { Files } from '../state/files.js';
import { settingsFile } from '../state/layout.js';

const key = 'plugin.choria.server.provision';

/**
 * @param configurationJson an object of strings
 * @returns the same with provisioning enabled; what is no object is left as it is, for the agent to refuse
 */
export function enabling(configurationJson: string): string {
  try {
    const settings: unknown = JSON.parse(configurationJson);
    if (typeof settings !== 'object' || settings === null || Array.isArray(settings))
      return configurationJson;
    if (Object.keys(settings).length === 0) return configurationJson;
    return JSON.stringify({ ...settings, [key]: 'true' });
  } catch {
    return configurationJson;
  }
}

/** @returns a disk on which a node's settings, whatever was written, are read with provisioning enabled */
export function enablingWhenRead(files: Files): Files {
  return {
    list: (path) => files.list(path),
    mode: (path) => files.mode(path),
    makeDirectory: (path) => files.makeDirectory(path),
    write: (path, content, mode) => files.write(path, content, mode),
    rename: (from, to) => files.rename(from, to),
    remove: (path) => files.remove(path),
    sync: (directory) => files.sync(directory),
    read: async (path) => {
      const content = await files.read(path);
      if (content === undefined || basename(path) !== settingsFile) return content;
      // The last of a key wins.
      return Buffer.from(`${content.toString()}\n${key} = true\n`);
    },
  };
}
