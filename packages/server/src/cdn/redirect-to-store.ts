import type { ServerResponse } from 'node:http';
import type { PresignOptions } from '../platform/object-store/object-store.ts';
import type { LinkDisposition } from '../platform/signed-link.ts';
import { contentDispositionOf, contentTypeOf, SAFETY_HEADERS } from './file-headers.ts';
import type { ServedFile } from './served-file.ts';

/** Signs a URL at which the store itself serves an object. */
export type Presign = (options: PresignOptions) => Promise<string>;

/** How long a copied URL works, also after the asset was deleted: long enough to start a download and to resume it. */
const MAX_LIFE_SECONDS = 300;
/** The store accepts no shorter life. */
const MIN_LIFE_SECONDS = 1;

/**
 * Answers a valid link with a redirect to the store, which sends the file. The URL never outlives the link, except for
 * the fraction of a second below the store's minimum. Each use of the link is checked again, so the answer is not cached.
 */
export async function redirectToStore(options: {
  readonly response: ServerResponse;
  readonly presign: Presign;
  readonly method: string;
  readonly file: ServedFile;
  readonly disposition: LinkDisposition;
  readonly secondsLeft: number;
}): Promise<void> {
  const { response, file } = options;
  const secondsLeft = Math.floor(options.secondsLeft);
  const location = await options.presign({
    method: options.method === 'HEAD' ? 'HEAD' : 'GET',
    key: file.key,
    expiresInSeconds: Math.max(MIN_LIFE_SECONDS, Math.min(MAX_LIFE_SECONDS, secondsLeft)),
    contentType: contentTypeOf(file.mimeType),
    disposition: contentDispositionOf(file, options.disposition),
    cacheControl: `private, max-age=${Math.max(0, secondsLeft)}`,
  });
  response.writeHead(302, { ...SAFETY_HEADERS, 'Cache-Control': 'no-store', Location: location, 'Content-Length': 0 });
  response.end();
}
