// A fault proxy for one test.

import { onTestFinished } from 'vitest';
import { FaultProxy, type FaultProxyOptions } from '../../fakes/fault-proxy.js';

/** Starts a proxy; it is closed after the test. */
export async function startProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = await FaultProxy.start(options);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}
