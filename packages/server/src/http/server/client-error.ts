import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { Problem } from '../../platform/problem.ts';
import { type ProblemContext, problemBody } from './problem-handler.ts';

interface UnparsedContext extends ProblemContext {
  readonly headers: Readonly<Record<string, string>>;
}

interface Reason {
  readonly status: string;
  readonly detail: string;
  readonly allow?: string;
}

const REASONS: Readonly<Record<string, Reason>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', detail: 'The request did not arrive in time.' },
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', detail: 'The headers are larger than 16 KiB.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Payload Too Large', detail: 'The chunk extensions are too large.' },
};
const NOT_HTTP: Reason = { status: '400 Bad Request', detail: 'This is not a valid HTTP request.' };
const NO_TUNNEL: Reason = {
  status: '405 Method Not Allowed',
  detail: 'CONNECT is not supported.',
  allow: 'GET, HEAD, POST',
};

/** How long the client has to read the response before the connection is closed. */
const LINGER_MS = 500;

/** Answers input that is not a valid request with a problem, written to the socket because there is no reply object. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, context: UnparsedContext): void {
  // Further bytes raise the same error again while the first response is being sent.
  if (socket.writableEnded) return;
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  endWithProblem(socket, REASONS[error.code ?? ''] ?? NOT_HTTP, context);
}

export function answerConnect(socket: Socket, context: UnparsedContext): void {
  // The HTTP server no longer listens to this socket; a client that disconnects early is not an error.
  socket.on('error', () => socket.destroy());
  endWithProblem(socket, NO_TUNNEL, context);
}

function endWithProblem(socket: Socket, reason: Reason, { problemBaseUrl, log, headers }: UnparsedContext): void {
  const requestId = randomUUID();
  const status = Number(reason.status.slice(0, 3));
  log.info('request', { requestId, status, code: 'invalid_params', reason: reason.detail });
  const body = JSON.stringify(
    problemBody(problemBaseUrl, new Problem('invalid_params', reason.detail), status, requestId),
  );
  const head = [
    `HTTP/1.1 ${reason.status}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...(reason.allow === undefined ? [] : [`Allow: ${reason.allow}`]),
    `X-Request-Id: ${requestId}`,
    'X-Content-Type-Options: nosniff',
    'Cache-Control: no-store',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}
