// The contracts as buf built them from proto/: for what has to know messages that it was not written for, such as
// reflection and JSON.

import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { fromBinary } from '@bufbuild/protobuf';
import { type FileDescriptorSet, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';

/**
 * Reads them, which takes milliseconds.
 *
 * @throws Error where the installation lacks proto/descriptors.binpb
 */
export function descriptorSet(): FileDescriptorSet {
  return fromBinary(FileDescriptorSetSchema, readFileSync(descriptorsPath()));
}

/** proto/ is beside shared/ in the source tree, and beside dist/ once compiled. */
function descriptorsPath(): string {
  for (const folder of ['../../proto', '../../../proto']) {
    const path = fileURLToPath(new URL(`${folder}/descriptors.binpb`, import.meta.url));
    if (existsSync(path)) return path;
  }
  throw new Error('proto/descriptors.binpb is missing: it belongs to the installation');
}
