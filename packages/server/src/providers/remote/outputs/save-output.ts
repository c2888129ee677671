import { createWriteStream } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ProviderError } from '../../provider.ts';
import type { Backend } from '../backend.ts';
import { type Answer, callBackend } from '../call-backend.ts';
import { tooLarge } from './read-bytes.ts';

const MAX_REDIRECTS = 3;
const REDIRECTS = [301, 302, 303, 307, 308] as const;
const DATA_URL = /^data:[^,]{0,200};base64,/;

/** Saves one file of a backend, from its URL or a data URL, up to the size limit. */
export async function saveOutput(
  backend: Backend,
  { url, path, signal }: { url: string; path: string; signal: AbortSignal },
): Promise<void> {
  if (url.startsWith('data:')) {
    const head = DATA_URL.exec(url.slice(0, 300))?.[0];
    if (head === undefined) throw new ProviderError('internal', 'The backend returned an unreadable file.');
    await saveBase64(backend, { base64: url.slice(head.length), path });
    return;
  }
  let next = url;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const allowed = checkOutputUrl(backend, next);
    const moved = await callBackend(
      backend,
      {
        method: 'GET',
        path: allowed.url,
        anonymous: allowed.anonymous,
        timeoutMs: backend.timeouts.downloadMs,
        signal,
        accept: REDIRECTS,
      },
      (answer) => saveAnswer(answer, { path, maxBytes: backend.maxOutputBytes }),
    );
    if (moved === null) return;
    next = new URL(moved, allowed.url).href;
  }
  throw new ProviderError('internal', 'Too many redirects to the output of the backend.');
}

/** The target of a redirect, or null once the file is saved. */
async function saveAnswer(answer: Answer, options: { path: string; maxBytes: number }): Promise<string | null> {
  if (answer.status < 300) {
    await saveBody(answer, options);
    return null;
  }
  answer.body.destroy();
  const location = answer.headers.location;
  if (typeof location !== 'string' || !URL.canParse(location, 'http://any'))
    throw new ProviderError('internal', 'The output no longer exists on the backend.');
  return location;
}

/** Saves a body. One that announces too large a size is refused before any byte is read. */
export async function saveBody(
  { headers, body }: Pick<Answer, 'headers' | 'body'>,
  { path, maxBytes }: { path: string; maxBytes: number },
): Promise<void> {
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    body.destroy();
    throw tooLarge(maxBytes);
  }
  let bytes = 0;
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxBytes) done(tooLarge(maxBytes));
      else done(null, chunk);
    },
  });
  try {
    await pipeline(body, meter, createWriteStream(path));
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
  if (bytes === 0) throw new ProviderError('internal', 'The backend returned an empty file.', { retryable: true });
}

export async function saveBase64(
  backend: Pick<Backend, 'maxOutputBytes'>,
  { base64, path }: { base64: string; path: string },
): Promise<void> {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length > backend.maxOutputBytes) throw tooLarge(backend.maxOutputBytes);
  if (bytes.length === 0)
    throw new ProviderError('internal', 'The backend returned an empty file.', { retryable: true });
  await writeFile(path, bytes);
}

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
  return new ProviderError('internal', 'The output of the backend is at an address that is not allowed.');
}
