import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a test server saw it. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  json(): Record<string, unknown>;
  form(): Promise<FormData>;
}

export type Respond = (seen: Seen, response: ServerResponse) => unknown;

export interface TestServer {
  readonly url: string;
  readonly server: Server;
  readonly seen: Seen[];
  /** Responses that are sent first, one per request. */
  readonly first: Respond[];
  close(): Promise<void>;
}

/** A server on the loopback that sends the given responses and records requests. */
export async function startTestServer(respond: Respond): Promise<TestServer> {
  const seen: Seen[] = [];
  const first: Respond[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const each = describe(request, Buffer.concat(chunks));
    seen.push(each);
    await (first.shift() ?? respond)(each, response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    seen,
    first,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

function describe(request: IncomingMessage, body: Buffer): Seen {
  const url = new URL(request.url ?? '/', 'http://any');
  return {
    method: request.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: request.headers,
    body,
    json: () => JSON.parse(body.toString('utf8')),
    form: () =>
      new Response(new Uint8Array(body), {
        headers: { 'content-type': request.headers['content-type'] ?? '' },
      }).formData(),
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}
