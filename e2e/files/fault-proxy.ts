import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * - `pass`: as if it were not there
 * - `down`: nothing answers; connections are reset
 * - `error`: every request is answered 500
 * - `refused`: every request is answered 403, as with credentials that were withdrawn
 * - `parts-fail`: the pieces of large objects are answered 500, all else passes
 * - `slow`: answers come after `SLOW_MS`
 * - `truncate`: half of each answer's body, then a reset; half of each sent body arrives, then a reset
 */
export type FaultMode = 'pass' | 'down' | 'error' | 'refused' | 'parts-fail' | 'slow' | 'truncate';

export const SLOW_MS = 6_000;

export interface FaultProxy {
  readonly url: string;
  set(mode: FaultMode): void;
  /** Requests since the mode was set: a fault that no request hit proves nothing. */
  seen(): number;
  close(): Promise<void>;
}

const FAULT_ANSWERS = {
  error: { status: 500, code: 'InternalError' },
  refused: { status: 403, code: 'AccessDenied' },
} as const;

/** A proxy between the service and its bucket that injects faults. */
export async function startFaultProxy(targetUrl: string): Promise<FaultProxy> {
  const target = new URL(targetUrl);
  let mode: FaultMode = 'pass';
  let seen = 0;
  const server = createServer((request, response) => {
    seen += 1;
    if (mode === 'error' || mode === 'refused') answer(request, response, mode);
    else if (mode === 'parts-fail' && request.url?.includes('partNumber=')) answer(request, response, 'error');
    else if (mode === 'down') request.socket.resetAndDestroy();
    else if (mode === 'slow') setTimeout(() => forward(request, response), SLOW_MS);
    else if (mode === 'truncate') truncate(request, response);
    else forward(request, response);
  });

  function answer(request: IncomingMessage, response: ServerResponse, fault: keyof typeof FAULT_ANSWERS) {
    const { status, code } = FAULT_ANSWERS[fault];
    const body = `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
    request.resume();
    response
      .writeHead(status, { 'content-type': 'application/xml', 'content-length': body.length })
      .end(request.method === 'HEAD' ? undefined : body);
  }

  /** Unchanged headers: the signature covers the Host header. */
  function forward(
    request: IncomingMessage,
    response: ServerResponse,
    pass: (answer: IncomingMessage) => void = (answer) => void answer.pipe(response),
  ) {
    const onward = httpRequest(
      { host: target.hostname, port: target.port, method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        pass(answer);
      },
    );
    onward.once('error', () => request.socket.resetAndDestroy());
    request.once('error', () => onward.destroy());
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  }

  function truncate(request: IncomingMessage, response: ServerResponse) {
    const sent = Number(request.headers['content-length'] ?? 0);
    if (sent > 0) {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes >= sent / 2) request.socket.resetAndDestroy();
      });
      return;
    }
    forward(request, response, async (answer) => {
      let left = Math.floor(Number(answer.headers['content-length'] ?? 0) / 2);
      for await (const chunk of answer) {
        const part = (chunk as Buffer).subarray(0, left);
        left -= part.length;
        await new Promise((flushed) => response.write(part, flushed));
        if (left === 0) break;
      }
      request.socket.resetAndDestroy();
    });
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    set(next) {
      mode = next;
      seen = 0;
      // A new mode affects open connections too.
      if (next === 'down') server.closeAllConnections();
    },
    seen: () => seen,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
