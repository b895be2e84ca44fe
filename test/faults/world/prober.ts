// How discovery asks the world's nodes who they are.

import type { Prober } from '../../../services/discovery/probes/prober.js';
import type { WorldNode } from './node.js';

/** @param nodeAt gives the machine at an address, up or down */
export function worldProber(nodeAt: (address: string) => WorldNode | undefined): Prober {
  return {
    identify: async (address, certificateSha256) => {
      const boot = nodeAt(address)?.boot;
      if (boot === undefined) return { kind: 'SILENT', why: 'connection refused' };
      if (certificateSha256 !== undefined && certificateSha256 !== boot.certificateSha256) {
        return { kind: 'SILENT', why: 'another certificate' };
      }
      const { identity, bootId, provisioning, version } = boot.agent.identify();
      const shown = boot.certificateSha256;
      return { kind: 'ANSWERED', identity, bootId, provisioning, version, certificateSha256: shown };
    },
  };
}
