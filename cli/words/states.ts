// The states of a host, in words and in colour.

import { HostState } from '../../shared/gen/slipway/provisioner/v1/host.js';
import { nameOf } from '../text/name.js';
import type { Tone, Toned } from '../text/paint.js';

/** `backing off`. */
export function stateName(state: HostState): string {
  return nameOf(HostState, state).toLowerCase().replaceAll('_', ' ');
}

const tones: Partial<Record<HostState, Tone>> = {
  [HostState.RUNNING]: 'busy',
  [HostState.BACKING_OFF]: 'bad',
};

/** @param more what else there is to say of it */
export function tonedState(state: HostState, more = ''): Toned {
  return { text: `${stateName(state)}${more === '' ? '' : ` ${more}`}`, tone: tones[state] };
}

const sentences: Readonly<Record<HostState, string>> = {
  [HostState.UNSPECIFIED]: 'is in a state that is not known',
  [HostState.QUEUED]: 'waits for its turn',
  [HostState.RUNNING]: 'is being worked on',
  [HostState.HELD]: 'has been dealt with and is held',
  [HostState.BACKING_OFF]: 'waits until it may be tried again',
  [HostState.RELEASED]: 'is not known at present',
  [HostState.UNRECOGNIZED]: 'is in a state that this version does not know',
};

/** What a host does that is in it, to follow its name: `waits for its turn`. */
export function stateInWords(state: HostState): string {
  return sentences[state] ?? sentences[HostState.UNRECOGNIZED];
}
