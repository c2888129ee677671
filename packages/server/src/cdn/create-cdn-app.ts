import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Clock } from '../platform/clock.ts';
import { errorFields, type Log } from '../platform/log.ts';
import type { ObjectStore } from '../platform/object-store/object-store.ts';
import type { LinkKeys } from '../platform/signed-link.ts';
import type { Presign } from './redirect-to-store.ts';
import { TRANSFER_LIMIT, type TransferLimit } from './send-body.ts';
import { sendFileProblem } from './send-file-problem.ts';
import { type ServeFileOptions, serveFile } from './serve-file.ts';
import type { FileLookup } from './served-file.ts';

export interface CdnOptions {
  readonly lookup: FileLookup;
  readonly store: Pick<ObjectStore, 'head' | 'read'>;
  /** Given where links redirect to the store instead of sending the file from here. */
  readonly presign?: Presign;
  readonly linkKeys: LinkKeys;
  /** Host, with the port unless it is the default, of every origin that links are signed for. */
  readonly publicHosts: ReadonlySet<string>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn' | 'error'>;
  /** The `Edge-Secret` header that an nginx edge sends. */
  readonly edgeSecret?: string;
  readonly transferLimit?: TransferLimit;
}

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const SILENT_SOCKET_TIMEOUT_MS = 120_000;
const CONNECTIONS_CHECKING_INTERVAL_MS = 5_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;
const MAX_REQUESTS_PER_SOCKET = 1_000;
const MAX_CONNECTIONS = 10_000;
const MIN_EDGE_SECRET_CHARS = 32;

/** Serves files by signed link. There are no cookies, request bodies or routes: the link holds everything. */
export function createCdnApp(options: CdnOptions): FastifyInstance {
  const app = Fastify({
    // A request line holds a signed link, which is a credential: it is never logged.
    logger: false,
    exposeHeadRoutes: false,
    bodyLimit: 1,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    connectionTimeout: SILENT_SOCKET_TIMEOUT_MS,
    maxRequestsPerSocket: MAX_REQUESTS_PER_SOCKET,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MS,
    },
    frameworkErrors: (_error, _request, reply) => {
      reply.hijack();
      sendFileProblem(reply.raw, 'refused');
    },
  });
  app.server.maxHeadersCount = MAX_HEADERS;
  app.server.maxConnections = MAX_CONNECTIONS;

  const serving: ServeFileOptions = {
    ...options,
    limit: options.transferLimit ?? TRANSFER_LIMIT,
    isEdge: options.edgeSecret === undefined ? () => false : createEdgeCheck(options.edgeSecret),
  };

  // Before any body is read.
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    reply.hijack();
    reply.raw.setHeader('Connection', 'close');
    sendFileProblem(reply.raw, 'method');
  });
  app.setErrorHandler((error, _request, reply) => {
    options.log.error('file request failed', errorFields(error));
    reply.hijack();
    sendFileProblem(reply.raw, 'internal');
  });
  // Routes that other modules add (health) match first; every other path is a link.
  app.setNotFoundHandler(async (request, reply) => {
    reply.hijack();
    await serveFile(request.raw, reply.raw, serving);
  });
  return app;
}

function createEdgeCheck(secret: string): (request: IncomingMessage) => boolean {
  if (secret.length < MIN_EDGE_SECRET_CHARS) {
    throw new TypeError(`an edge secret has at least ${MIN_EDGE_SECRET_CHARS} characters`);
  }
  const expected = createHash('sha256').update(secret).digest();
  return ({ headers }) => {
    const sent = headers['edge-secret'];
    return typeof sent === 'string' && timingSafeEqual(createHash('sha256').update(sent).digest(), expected);
  };
}
