import type { KeyRing } from '../../../platform/crypto.ts';
import { openToken, signToken } from '../../../platform/signed-token.ts';

const PREFIX = 'cb1';

/** Which run a callback is about: one attempt of one generation. */
export interface CallbackRun {
  readonly generationId: string;
  readonly attempt: number;
}

/** The secret part of the address at which a backend may tell that a run moved on. */
export function signCallback(keys: KeyRing, { generationId, attempt }: CallbackRun): string {
  return signToken({ keys, purpose: 'callback', prefix: PREFIX, payload: { g: generationId, a: attempt } });
}

/** Null for anything that was not signed here. */
export function openCallback(keys: KeyRing, token: string): CallbackRun | null {
  const payload = openToken({ keys, purpose: 'callback', prefix: PREFIX, token });
  if (payload === null) return null;
  const { g: generationId, a: attempt } = payload as { g: string; a: number };
  return { generationId, attempt };
}

/** What a wake is called on its way from the API to the worker that polls. */
export function pollName({ generationId, attempt }: CallbackRun): string {
  return `${POLL_PREFIX}${generationId}/${attempt}`;
}

export const POLL_PREFIX = 'poll/';
