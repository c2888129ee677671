import { createServer, type IncomingMessage } from 'node:http';

export interface WebServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves a handler of web Requests, like Hono and Next have, from a Node server. */
export async function startWebServer(handle: (request: Request) => Response | Promise<Response>): Promise<WebServer> {
  const server = createServer(async (incoming, outgoing) => {
    const response = await handle(await toRequest(incoming));
    outgoing.writeHead(response.status, Object.fromEntries(response.headers));
    if (response.body !== null) for await (const chunk of response.body) outgoing.write(chunk);
    outgoing.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function toRequest(incoming: IncomingMessage): Promise<Request> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const hasBody = incoming.method !== 'GET' && incoming.method !== 'HEAD';
  return new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: incoming.headers as Record<string, string>,
    ...(hasBody ? { body: Buffer.concat(chunks) } : {}),
  });
}
