import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Clock } from '../platform/clock.ts';
import { errorFields, type Log } from '../platform/log.ts';
import { type ObjectStore, ObjectStoreUnavailable, type StoredObject } from '../platform/object-store/object-store.ts';
import { type LinkKeys, verifyLink } from '../platform/signed-link.ts';
import { asksForDate, decideFileAnswer } from './decide-file-answer.ts';
import { contentDispositionOf, contentTypeOf, SAFETY_HEADERS } from './file-headers.ts';
import { type Presign, redirectToStore } from './redirect-to-store.ts';
import { sendBody, type TransferLimit } from './send-body.ts';
import { type FileProblemName, sendFileProblem } from './send-file-problem.ts';
import type { FileLookup, ServedFile } from './served-file.ts';

export interface ServeFileOptions {
  readonly lookup: FileLookup;
  readonly store: Pick<ObjectStore, 'head' | 'read'>;
  /** Given where links redirect to the store. */
  readonly presign?: Presign;
  readonly linkKeys: LinkKeys;
  readonly publicHosts: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly limit: TransferLimit;
  /** A trusted edge checked the expiry at the client's request; its later slice requests may arrive after the expiry. */
  readonly isEdge: (request: IncomingMessage) => boolean;
}

/** Checks link, row, conditions and object; each may end it. Settles when the response is sent or the connection closed. */
export async function serveFile(
  request: IncomingMessage,
  response: ServerResponse,
  options: ServeFileOptions,
): Promise<void> {
  const { clock, log, store, presign } = options;
  const isEdge = options.isEdge(request);
  const host = request.headers.host ?? '';
  const nowSeconds = clock.now().getTime() / 1000;
  const verdict = verifyLink({
    keys: options.linkKeys,
    host,
    pathAndQuery: request.url ?? '',
    nowSeconds: isEdge ? 0 : nowSeconds,
  });
  if (!verdict.ok || !options.publicHosts.has(host)) {
    return sendFileProblem(response, !verdict.ok && verdict.reason === 'expired' ? 'expired' : 'refused');
  }

  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const { method = 'GET', headers } = request;
  let file: ServedFile | null = null;
  let opened: { stream?: Readable; object: StoredObject } | null = null;
  try {
    file = await options.lookup(verdict.assetId, verdict.variant);
    if (file === null) return sendFileProblem(response, 'gone');
    // An edge keeps what it receives, so it gets the file itself.
    if (presign !== undefined && !isEdge) {
      const secondsLeft = verdict.expiresAtSeconds - nowSeconds;
      return await redirectToStore({ response, presign, method, file, disposition: verdict.disposition, secondsLeft });
    }
    const etag = `"${file.sha256}"`;
    const decide = (lastModified: Date | null) =>
      decideFileAnswer({ method, headers, bytes: file!.bytes, etag, lastModified });

    // One request to the store for a plain GET, none for a 304 by ETag.
    if (method === 'HEAD' || asksForDate(headers)) {
      const object = await store.head(file.key);
      if (object === null) return lost(response, options, file);
      opened = { object };
    }
    const answer = decide(opened?.object.lastModified ?? null);
    const caching: Record<string, string> = {
      ...SAFETY_HEADERS,
      ETag: etag,
      'Cache-Control': `private, max-age=${Math.max(0, Math.floor(verdict.expiresAtSeconds - nowSeconds))}`,
      ...(opened ? { 'Last-Modified': opened.object.lastModified.toUTCString() } : {}),
    };
    if (answer.status === 304) {
      response.writeHead(304, caching).end();
      return;
    }
    if (answer.status === 412) return sendFileProblem(response, 'changed');
    if (answer.status === 416) return sendFileProblem(response, 'range', { 'Content-Range': `bytes */${file.bytes}` });

    if (method !== 'HEAD') {
      const range = answer.status === 206 ? { start: answer.start, end: answer.end } : {};
      opened = await store.read({ key: file.key, ...range, signal: gone.signal });
      if (opened === null) return lost(response, options, file);
    }
    const { object, stream } = opened!;
    if (object.bytes !== file.bytes) {
      stream?.destroy();
      log.error('object size does not match its row', { path: file.key });
      return sendFileProblem(response, 'internal');
    }
    const length = answer.status === 206 ? answer.end - answer.start + 1 : file.bytes;
    response.writeHead(answer.status, {
      ...caching,
      'Last-Modified': object.lastModified.toUTCString(),
      'Accept-Ranges': 'bytes',
      'Content-Type': contentTypeOf(file.mimeType),
      'Content-Disposition': contentDispositionOf(file, verdict.disposition),
      'Content-Length': length,
      ...(answer.status === 206 ? { 'Content-Range': `bytes ${answer.start}-${answer.end}/${file.bytes}` } : {}),
    });
    if (stream === undefined) response.end();
    else await sendBody({ stream, response, expectedBytes: length, limit: options.limit });
  } catch (error) {
    opened?.stream?.destroy();
    if (isClientGone(error)) return;
    log.warn('serving a file failed', { ...(file ? { path: file.key } : {}), ...errorFields(error) });
    sendFileProblem(response, problemOf(error, file));
  }
}

function lost(response: ServerResponse, options: ServeFileOptions, file: ServedFile): void {
  options.log.error('object missing', { path: file.key });
  sendFileProblem(response, 'gone');
}

function isClientGone(error: unknown): boolean {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return name === 'AbortError' || code === 'ERR_STREAM_PREMATURE_CLOSE';
}

/** Without a row the lookup failed: the database is unavailable, which is temporary. */
function problemOf(error: unknown, file: ServedFile | null): FileProblemName {
  return file === null || error instanceof ObjectStoreUnavailable ? 'unavailable' : 'internal';
}
