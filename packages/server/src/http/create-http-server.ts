import { randomUUID } from 'node:crypto';
import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Services } from '../domain/services.ts';
import { Problem } from '../platform/problem.ts';
import { answerClientError } from './client-error.ts';
import { allowedMethods } from './method-not-allowed.ts';
import { MAX_BODY_BYTES, parseJson } from './parse-json.ts';
import { createProblemHandler, sendProblem } from './problem-handler.ts';
import { MULTIPART_LIMITS } from './routes/uploads/read-upload-part.ts';

export interface HttpServerOptions {
  readonly services: Pick<Services, 'log' | 'telemetry'>;
  /** Where the pages about problem codes are; the code is appended. */
  readonly problemBaseUrl: string;
  /** CIDRs of proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly headersTimeoutMs?: number;
}

const HEADERS_TIMEOUT_MS = 10_000;
/** The longest that any request may take to arrive: a 200 MB upload over a slow line. */
const REQUEST_TIMEOUT_MS = 600_000;
const CONNECTIONS_CHECK_INTERVAL_MS = 2_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_HEADERS = 100;
const MAX_REQUESTS_PER_SOCKET = 10_000;
const MAX_PARAM_LENGTH = 200;

/** The server before any operation is bound: limits, parsers, problems, request ids and metrics. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { services } = options;
  const app = Fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    maxRequestsPerSocket: MAX_REQUESTS_PER_SOCKET,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_INTERVAL_MS,
      insecureHTTPParser: false,
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: false },
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    logger: false,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, options.problemBaseUrl),
    frameworkErrors: (error, request, reply) => handleProblem(error, request, reply),
  });
  app.server.maxHeadersCount = MAX_HEADERS;
  const handleProblem = createProblemHandler({ problemBaseUrl: options.problemBaseUrl, log: services.log });

  app.decorateRequest('caller', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    try {
      done(null, parseJson(text as string));
    } catch (error) {
      done(error as Error);
    }
  });
  await app.register(multipart, { limits: MULTIPART_LIMITS, throwFileSizeLimit: false });
  app.setErrorHandler(handleProblem);
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedMethods(request.raw.url ?? '/');
    if (allowed.length === 0) {
      return sendProblem(options, request, reply, new Problem('not_found', 'There is nothing at this path.'));
    }
    reply.header('allow', allowed.join(', '));
    return sendProblem(
      options,
      request,
      reply,
      new Problem('invalid_params', `This path answers ${allowed.join(' and ')}, not ${request.method}.`),
      405,
    );
  });
  app.addHook('onSend', async (request, reply) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
  });
  app.addHook('onResponse', async (request, reply) => {
    const operation = request.routeOptions.config?.operation ?? 'none';
    services.telemetry.requests.inc({ operation, status: reply.statusCode });
    services.telemetry.requestSeconds.observe({ operation }, reply.elapsedTime / 1000);
  });
  return app;
}
