import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import multipart from '@fastify/multipart';
import Fastify, { type FastifyInstance } from 'fastify';
import type { RequestRecorder } from '../../domain/operator/request-records.ts';
import type { Services } from '../../domain/services.ts';
import { dropBody } from '../body/body-deadlines.ts';
import { MAX_BODY_BYTES, parseJson } from '../body/parse-json.ts';
import { acceptRawBody } from '../body/read-raw-body.ts';
import { MULTIPART_LIMITS } from '../body/read-upload-part.ts';
import { createAccessLog } from './access-log.ts';
import { answerClientError, answerConnect } from './client-error.ts';
import { MAX_HEADERS } from './find-ambiguity.ts';
import { createProblemHandler } from './problem-handler.ts';
import { type KnownPath, refuseEarly } from './refuse-early.ts';
import { createRequestCounter } from './request-counter.ts';
import { traceRequest } from './trace-request.ts';

export interface HttpServerOptions {
  readonly services: Pick<Services, 'log' | 'telemetry' | 'tracing'>;
  /** Base URL of the problem pages; the code is appended. */
  readonly problemBaseUrl: string;
  /** CIDRs of proxies whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[];
  /** The share of successful requests that are logged, from 0 to 1. */
  readonly accessLogShare: number;
  /** Every path that is bound, to answer a wrong method. */
  readonly paths: readonly KnownPath[];
  /** Headers of every response, whatever its kind. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly headersTimeoutMs?: number;
  /** Keeps submits and refusals of known callers. */
  readonly recorder?: RequestRecorder;
}

const HEADERS_TIMEOUT_MS = 10_000;
/** The longest that a request may take to arrive: a 200 MB upload on a slow connection. */
const REQUEST_TIMEOUT_MS = 600_000;
const CONNECTIONS_CHECK_INTERVAL_MS = 2_000;
const KEEP_ALIVE_TIMEOUT_MS = 65_000;
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_REQUESTS_PER_SOCKET = 10_000;
/** As long as all headers may be: an invalid id is refused by its operation, after authentication. */
const MAX_PARAM_LENGTH = MAX_HEADER_BYTES;

/** The server before any operation is bound: limits, parsers, problems, request ids and metrics. */
export async function createHttpServer(options: HttpServerOptions): Promise<FastifyInstance> {
  const { services } = options;
  const { headers = {} } = options;
  const unparsed = { problemBaseUrl: options.problemBaseUrl, log: services.log, headers };
  const logAccess = createAccessLog({
    log: services.log,
    successShare: options.accessLogShare,
    recorder: options.recorder,
  });
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
      // Node would answer a missing Host without a problem body; findAmbiguity does it instead.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH, ignoreTrailingSlash: false },
    requestIdHeader: false,
    genReqId: () => randomUUID(),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    logger: false,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    clientErrorHandler: (error, socket) => answerClientError(error, socket, unparsed),
    frameworkErrors: (error, request, reply) => {
      logAccess(request, reply);
      reply.headers(headers);
      handleProblem(error, request, reply);
    },
  });
  // Node silently drops headers beyond its limit; one more than ours shows that there were more.
  app.server.maxHeadersCount = MAX_HEADERS + 1;
  app.server.on('connect', (_request, socket) => answerConnect(socket as Socket, unparsed));
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  const handleProblem = createProblemHandler({ problemBaseUrl: options.problemBaseUrl, log: services.log });

  app.decorateRequest('caller', null);
  app.decorateRequest('problemCode', null);
  app.decorateRequest('generationId', null);
  app.decorateRequest('issuePaths', null);
  app.decorateRequest('span', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    try {
      done(null, parseJson(bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addContentTypeParser('application/octet-stream', acceptRawBody);
  await app.register(multipart, { limits: MULTIPART_LIMITS, throwFileSizeLimit: false });
  app.setErrorHandler(handleProblem);
  app.addHook('onRequest', (request, reply, done) => {
    logAccess(request, reply);
    traceRequest(services.tracing, request, reply);
    reply.headers(headers);
    done();
  });
  refuseEarly(app, options);
  // With callbacks: an async hook costs a promise per request.
  app.addHook('onSend', (request, reply, payload, done) => {
    reply.header('x-request-id', request.id);
    reply.header('x-content-type-options', 'nosniff');
    done(null, payload);
  });
  const count = createRequestCounter(services.telemetry);
  app.addHook('onResponse', (request, reply, done) => {
    count(request.routeOptions.config?.operation ?? 'none', reply.statusCode, reply.elapsedTime / 1000);
    dropBody(request.raw);
    done();
  });
  return app;
}
