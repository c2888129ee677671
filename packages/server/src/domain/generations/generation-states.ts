import type { GenerationStatus } from '@atelier/contract';

/** The state machine. A database trigger contains the same table; a test compares the two. */
export const transitions: { readonly [K in GenerationStatus]: readonly GenerationStatus[] } = {
  queued: ['processing', 'canceled'],
  processing: ['succeeded', 'failed'],
  succeeded: [],
  failed: [],
  canceled: [],
};

export function isTerminal(status: GenerationStatus): boolean {
  return transitions[status].length === 0;
}
