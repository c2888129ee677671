import { ProviderError } from '../provider.ts';
import type { Backend } from './backend.ts';

/** Where a file of the backend may be fetched: from itself, with the key, or from an origin that the operator named, without. */
export function checkOutputUrl(backend: Backend, text: string): { url: string; anonymous: boolean } {
  if (!URL.canParse(text, `${backend.url}/`)) throw refused();
  const url = new URL(text, `${backend.url}/`);
  if (url.origin === new URL(backend.url).origin) return { url: url.href, anonymous: false };
  if (url.username !== '' || url.password !== '') throw refused();
  if (backend.outputOrigins.some((each) => fits(each, url))) return { url: url.href, anonymous: true };
  throw refused();
}

function fits(allowed: string, url: URL): boolean {
  const [, scheme, wildcard, host] = /^(https?:)\/\/(\*\.)?(.+)$/.exec(allowed.toLowerCase()) ?? [];
  if (scheme !== url.protocol || host === undefined) return false;
  return wildcard === undefined ? url.host === host : url.host.endsWith(`.${host}`);
}

function refused(): ProviderError {
  return new ProviderError('internal', 'The backend keeps its output where we do not go.');
}
