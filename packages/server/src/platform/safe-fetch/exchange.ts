import type { Dispatcher } from 'undici';
import type { Connection } from './connection.ts';
import { EgressError } from './egress-error.ts';
import { explainResponseError } from './explain-network-error.ts';

export const MAX_EXCERPT_BYTES = 4_096;
const MAX_HEADER_BYTES = 16_384;
// The status line, separators and TLS records are on the wire too.
const WIRE_MARGIN_BYTES = 4_096;
const MAX_INFORMATIONAL_RESPONSES = 8;

export interface ExchangeRequest {
  path: string;
  headers: Record<string, string>;
  body: Buffer | string;
  maxReadBytes: number;
  /** When the whole exchange must be over, on the same clock. */
  deadlineMs: number;
  timeoutMs: number;
}

/** How the body ended. The status is valid in every case. */
export type BodyEnd = 'complete' | 'limit' | 'timeout' | 'broken';

export interface ExchangeResult {
  status: number;
  headersAtMs: number;
  bytesRead: number;
  start: Buffer;
  bodyEnd: BodyEnd;
}

/** One request and its response on one connection. It settles by the deadline, whatever the server does. */
export function exchange(
  connection: Connection,
  request: ExchangeRequest,
  clock: () => number,
): Promise<ExchangeResult> {
  const { maxReadBytes } = request;
  return new Promise((resolve, reject) => {
    let isSettled = false;
    let status = 0;
    let headersAtMs = 0;
    let bytesRead = 0;
    let informational = 0;
    let startBytes = 0;
    const startChunks: Buffer[] = [];

    const timer = setTimeout(
      () => stop('timeout', new EgressError('timeout', `No response within ${request.timeoutMs / 1_000} s.`)),
      Math.max(0, request.deadlineMs - clock()),
    );

    function finish(bodyEnd: BodyEnd): void {
      isSettled = true;
      clearTimeout(timer);
      resolve({ status, headersAtMs, bytesRead, start: Buffer.concat(startChunks), bodyEnd });
    }

    /** Ends the exchange early. If the status has arrived, that still counts as a response. */
    function stop(bodyEnd: BodyEnd, error: Error): void {
      if (isSettled) return;
      if (status > 0) {
        finish(bodyEnd);
      } else {
        isSettled = true;
        clearTimeout(timer);
        reject(error);
      }
      connection.close(error);
    }

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(controller) {
        if (isSettled) controller.abort(new EgressError('timeout', 'The request timed out.'));
        // Reset here, since the bytes of a TLS handshake do not count.
        else connection.startCounting();
      },
      onResponseStart(controller, statusCode) {
        if (isSettled) return;
        if (statusCode < 200) {
          informational += 1;
          if (informational > MAX_INFORMATIONAL_RESPONSES) {
            stop('broken', new EgressError('protocol', 'The host sent too many interim (1xx) responses.'));
          }
          return;
        }
        if (headerBytesOf(controller.rawHeaders) > MAX_HEADER_BYTES) return stop('broken', headersTooLarge());
        connection.limitBytes({ maxBytes: MAX_HEADER_BYTES + WIRE_MARGIN_BYTES + maxReadBytes, error: bodyTooLong });
        status = statusCode;
        headersAtMs = clock();
      },
      onResponseData(_controller, chunk) {
        if (isSettled) return;
        const part = chunk.subarray(0, maxReadBytes - bytesRead);
        bytesRead += part.length;
        if (startBytes < MAX_EXCERPT_BYTES) {
          // Copied, because the chunk is a view that would keep the whole socket buffer in memory.
          const kept = Buffer.from(part.subarray(0, MAX_EXCERPT_BYTES - startBytes));
          startBytes += kept.length;
          startChunks.push(kept);
        }
        if (part.length < chunk.length) stop('limit', bodyTooLong());
      },
      onResponseEnd() {
        if (!isSettled) finish('complete');
      },
      onResponseError(_controller, error) {
        // A header or path that cannot be sent is an error of the caller, not of the server.
        if ((error as NodeJS.ErrnoException).code === 'UND_ERR_INVALID_ARG') return stop('broken', error);
        stop(error instanceof ReadLimitError ? 'limit' : 'broken', explainResponseError(error));
      },
    };

    connection.startCounting();
    connection.limitBytes({ maxBytes: MAX_HEADER_BYTES + WIRE_MARGIN_BYTES, error: headersTooLarge });
    connection.client.dispatch(
      { path: request.path, method: 'POST', headers: request.headers, body: request.body },
      handler,
    );
  });
}

class ReadLimitError extends EgressError {}

function headersTooLarge(): EgressError {
  return new EgressError('headers_too_large', 'The response headers are larger than 16 KB.');
}

function bodyTooLong(): EgressError {
  return new ReadLimitError('protocol', 'The response body is too large.');
}

function headerBytesOf(rawHeaders: Dispatcher.DispatchController['rawHeaders']): number {
  if (!Array.isArray(rawHeaders)) return 0;
  let bytes = 0;
  for (const item of rawHeaders) bytes += item.length;
  return bytes;
}
