import type { Socket } from 'node:net';
import { Problem } from '../platform/problem.ts';
import { problemBody } from './problem-handler.ts';

const REASONS: Readonly<Record<string, { status: string; detail: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', detail: 'The request did not arrive in time.' },
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', detail: 'The headers are larger than 16 KiB.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: '413 Payload Too Large', detail: 'The chunk extensions are too large.' },
};

/** What never became a request still gets a problem, written by hand because there is no reply object. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, problemBaseUrl: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const reason = REASONS[error.code ?? ''] ?? {
    status: '400 Bad Request',
    detail: 'This is not a valid HTTP request.',
  };
  const status = Number(reason.status.slice(0, 3));
  const body = JSON.stringify(
    problemBody(problemBaseUrl, new Problem('invalid_params', reason.detail), status, 'none'),
  );
  socket.end(
    `HTTP/1.1 ${reason.status}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
