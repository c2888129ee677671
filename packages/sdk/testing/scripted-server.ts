import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Reply = (request: SeenRequest, response: ServerResponse) => void;

export interface ScriptedServer extends AsyncDisposable {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
}

/** Answers each request with the next step of the script, and then with the last again. */
export async function startScriptedServer(...script: readonly Reply[]): Promise<ScriptedServer> {
  const seen: SeenRequest[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = request;
    const step = script[Math.min(seen.length, script.length - 1)]!;
    const asked = { method, url, headers, body: Buffer.concat(chunks).toString('latin1') };
    seen.push(asked);
    step(asked, response);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    seen,
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

export const json =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Reply =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const problem = (status: number, code: string, headers: Record<string, string> = {}): Reply =>
  json(
    { type: `/docs/problems/${code}`, title: code, status, detail: `because ${code}`, code, instance: 'request-1' },
    status,
    { 'x-request-id': 'request-1', ...headers },
  );

export const reset: Reply = (_request, response) => response.socket?.resetAndDestroy();

/** Headers and a part of the body, then a reset. */
export const cutOff: Reply = (_request, response) => {
  response.writeHead(200, { 'content-length': 100 });
  response.write('{"id":', () => response.socket?.resetAndDestroy());
};

/** Headers, and nothing more. */
export const stall: Reply = (_request, response) => {
  response.writeHead(200, { 'content-length': 100 });
  response.flushHeaders();
};
