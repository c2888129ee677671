import { ProviderError } from '../provider.ts';

/** How a backend identifies a generation. Any worker can continue from it. */
export interface RemoteHandle {
  readonly provider: 'openai' | 'comfyui' | 'replicate' | 'fal';
  readonly backend: string;
  readonly ids: readonly string[];
}

const MAX_IDS = 16;
const ID = /^[A-Za-z0-9_.:-]{1,256}$/;

export function formatHandle({ provider, backend, ids }: RemoteHandle): string {
  return JSON.stringify({ provider, backend, ids });
}

/** A handle of another provider does not fail the generation: it is submitted again. */
export function parseHandle(text: string, provider: RemoteHandle['provider']): RemoteHandle {
  let value: Partial<RemoteHandle> | null = null;
  try {
    value = JSON.parse(text);
  } catch {}
  if (
    value?.provider === provider &&
    typeof value.backend === 'string' &&
    Array.isArray(value.ids) &&
    value.ids.length > 0 &&
    value.ids.length <= MAX_IDS &&
    value.ids.every(isRemoteId)
  ) {
    return { provider, backend: value.backend, ids: value.ids };
  }
  throw new ProviderError('unavailable', 'The generation was started on another provider.', { retryable: true });
}

/** An id becomes part of a URL, so it must not contain anything that changes the URL. */
export function isRemoteId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value) && !/^\.+$/.test(value);
}
