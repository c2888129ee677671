import { problems, type Scope } from '@atelier/contract';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../domain/accounts/caller.ts';
import { errorFields } from '../../platform/log.ts';
import { Problem } from '../../platform/problem.ts';
import { applyRateLimit } from '../auth/admit.ts';
import type { Authenticate } from '../auth/authenticate.ts';
import type { RateLimiter } from '../auth/rate-limit.ts';
import { beginStream } from '../begin-stream.ts';
import { createBodyDeadlines } from '../body/body-deadlines.ts';
import { noteProblem } from '../server/note-outcome.ts';
import { toProblem } from '../server/problem-handler.ts';
import type { KnownPath } from '../server/refuse-early.ts';
import { type Answer, answerMessage, type McpContext } from './answer-message.ts';
import { createProgressWaits } from './progress-waits.ts';
import { progressTokenOf } from './protocol.ts';
import { RPC, RpcError, type RpcId, type RpcMessage, readMessage } from './rpc-message.ts';

const MCP_PATH = '/mcp';
const METADATA = '/.well-known/oauth-protected-resource';
/** The paths of this entry point. Clients look for the metadata with and without the path of the endpoint. */
export const MCP_PATHS: readonly KnownPath[] = [
  { method: 'POST', path: MCP_PATH },
  { method: 'GET', path: METADATA },
  { method: 'GET', path: `${METADATA}${MCP_PATH}` },
];
/** What the tools need. */
const TOOL_SCOPES: readonly Scope[] = ['generate', 'read', 'uploads', 'account'];
/** An upload of 5 MiB in base64, and its message. */
const MAX_BODY_BYTES = 7 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;

export interface McpOptions extends Omit<McpContext, 'waits'> {
  /** Where people give programs access; null: programs need a key. */
  readonly accessUrl: string | null;
  readonly authenticate: Authenticate;
  readonly limiter: RateLimiter;
}

/**
 * The Model Context Protocol over streamable HTTP: every message is a POST, authenticated and counted like any request. Refusals
 * before the message is read are problems, as everywhere; after that they are JSON-RPC errors or results of tools.
 */
export async function bindMcp(app: FastifyInstance, options: McpOptions): Promise<void> {
  const { services, accessUrl } = options;
  const context: McpContext = { ...options, waits: createProgressWaits(services) };
  const bodyDeadlines = createBodyDeadlines();
  app.addHook('preClose', async () => context.waits.close());
  app.addHook('onClose', async () => bodyDeadlines.close());
  const { origin } = new URL(services.publicUrl);
  const resource = `${services.publicUrl}${MCP_PATH}`;
  const metadata = accessUrl === null ? '' : `resource_metadata="${services.publicUrl}${METADATA}${MCP_PATH}", `;
  const challenge = `Bearer realm="atelier", ${metadata}scope="${TOOL_SCOPES.join(' ')}"`;
  for (const path of [METADATA, `${METADATA}${MCP_PATH}`]) {
    app.get(path, async (_request, reply) => {
      if (accessUrl === null) throw new Problem('not_found', 'Programs need an API key: nobody can sign in for them.');
      return reply.header('cache-control', 'public, max-age=300').send({
        resource,
        resource_name: 'Atelier',
        authorization_servers: [accessUrl],
        scopes_supported: TOOL_SCOPES,
        bearer_methods_supported: ['header'],
      });
    });
  }
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES },
      (_request, body, done) => done(null, body),
    );
    scope.setErrorHandler((error: FastifyError | Error, _request, reply) => {
      if (problems[toProblem(error).code].status === 401) reply.header('www-authenticate', challenge);
      if ((error as { code?: string }).code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw error;
      throw new Problem('input_too_large', `The body is larger than ${MAX_BODY_BYTES / 1024 / 1024} MiB.`);
    });
    // A page of another site must not reach the server through a name that resolves to it.
    scope.addHook('onRequest', (request, reply, done) => {
      if (request.headers.origin === undefined || request.headers.origin === origin) {
        done();
        return;
      }
      const error = new RpcError(RPC.invalidRequest, 'The Origin is not allowed.', { status: 403 });
      sendJson(reply.header('cache-control', 'no-store'), { error: describeError(error) }, error.status);
    });
    scope.route({
      method: 'POST',
      url: MCP_PATH,
      config: { operation: 'mcp' },
      onRequest: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        request.caller = await options.authenticate(request, reply, 'mcp');
        await applyRateLimit(options.limiter, request.caller, reply);
        bodyDeadlines.expect(request, reply);
      },
      handler: async (request, reply) => {
        bodyDeadlines.arrived(request);
        await answerRequest(context, request, reply);
        return reply;
      },
    });
  });
}

async function answerRequest(context: McpContext, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  let message: RpcMessage;
  try {
    message = readMessage(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
  } catch (error) {
    const failure = toRpcError(context, request, error);
    sendJson(reply, { error: describeError(failure) }, failure.status);
    return;
  }
  const { id } = message;
  if (id === null) {
    reply.code(202).send();
    return;
  }
  const channel = openChannel(request, reply, message);
  try {
    const answer = await answerMessage(context, {
      message,
      headers: request.headers,
      caller: request.caller as Caller,
      traceparent: request.span?.traceparent ?? null,
      signal: channel.signal,
      onWaiting: channel.onWaiting,
      onProgress: channel.onProgress,
      onProblem: (problem) => {
        noteProblem(request, problem);
        if (problem.code === 'internal') logFailure(context, request, problem);
      },
      onGeneration: (id) => {
        request.generationId = id;
      },
    });
    channel.finish(id, answer);
  } catch (error) {
    channel.fail(id, toRpcError(context, request, error));
  }
}

/** One response: plain JSON, or a stream once the request waits and the client takes one. */
function openChannel(request: FastifyRequest, reply: FastifyReply, message: RpcMessage) {
  const gone = new AbortController();
  const token = progressTokenOf(message);
  let stream: FastifyReply['raw'] | null = null;
  let heartbeat: NodeJS.Timeout | undefined;
  let lastProgress = -1;
  reply.raw.once('close', () => {
    clearInterval(heartbeat);
    gone.abort();
  });
  const write = (text: string) => {
    if (stream !== null && !stream.writableEnded && !stream.destroyed) stream.write(text);
  };
  const send = (body: object, options: { status: number; headers?: Answer['headers'] }) => {
    if (stream === null) {
      reply.headers(options.headers ?? {});
      sendJson(reply, body, options.status);
      return;
    }
    write(format({ jsonrpc: '2.0', ...body }));
    stream.end();
  };
  return {
    signal: gone.signal,
    onWaiting() {
      if (stream !== null || !acceptsStream(request)) return;
      stream = beginStream(request, reply);
      stream.on('error', () => stream?.destroy());
      heartbeat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);
    },
    /** The protocol wants each progress to be larger than the last. */
    onProgress({ progress, message: text }: { progress: number; message: string }) {
      if (token === null || progress <= lastProgress) return;
      lastProgress = progress;
      const params = { progressToken: token, progress, total: 1, message: text };
      write(format({ jsonrpc: '2.0', method: 'notifications/progress', params }));
    },
    finish: (id: RpcId, { result, headers = {} }: Answer) => send({ id, result }, { status: 200, headers }),
    fail: (id: RpcId, error: RpcError) => send({ id, error: describeError(error) }, { status: error.status }),
  };
}

function acceptsStream({ headers }: FastifyRequest): boolean {
  return /text\/event-stream|\*\/\*/.test(headers.accept ?? '');
}

const format = (body: object) => `event: message\ndata: ${JSON.stringify(body)}\n\n`;

function sendJson(reply: FastifyReply, body: object, status: number): FastifyReply {
  const text = JSON.stringify({ jsonrpc: '2.0', ...body });
  return reply.code(status).type('application/json; charset=utf-8').send(text);
}

function describeError({ code, message, data }: RpcError): object {
  return { code, message, ...(data === undefined ? {} : { data }) };
}

/** What is unforeseen is logged, and named to the client only by the id of the request. */
function toRpcError(context: McpContext, request: FastifyRequest, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const problem = toProblem(error as Error);
  noteProblem(request, problem);
  if (problem.code === 'internal') logFailure(context, request, error);
  return new RpcError(RPC.internal, problem.message, { data: { code: problem.code, instance: request.id } });
}

function logFailure({ services }: McpContext, request: FastifyRequest, error: unknown): void {
  services.log.error('request failed', {
    requestId: request.id,
    traceId: request.span?.traceId,
    method: request.method,
    operation: 'mcp',
    ...errorFields(error),
  });
}
