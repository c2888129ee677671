import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LosingProxy {
  readonly url: string;
  /** The retry counts of the requests that passed. */
  readonly passed: string[];
  /** Loses the answer to the next request for a path with this end, after the service has sent it. */
  loseNext(path: string): void;
  close(): Promise<void>;
}

/** A proxy that resets the connection instead of passing an answer on, when told so. */
export async function startLosingProxy(targetUrl: string): Promise<LosingProxy> {
  const target = new URL(targetUrl);
  const passed: string[] = [];
  let lost: string | null = null;
  const server = createServer((request, response) => {
    const loses = lost !== null && request.url?.endsWith(lost);
    if (loses) lost = null;
    passed.push(String(request.headers['x-stainless-retry-count']));
    const { hostname, port } = target;
    const onward = send(
      { hostname, port, method: request.method, path: request.url, headers: { ...request.headers, host: target.host } },
      (answer) => {
        if (loses) {
          answer.resume().once('end', () => request.socket.resetAndDestroy());
          return;
        }
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      },
    );
    onward.once('error', () => request.socket.destroy());
    request.pipe(onward);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    loseNext(path) {
      lost = path;
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
