import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';

export interface Exchanged {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** For tests: one request with exactly these headers on its own connection. Rejects when the body is cut off. */
export function exchange(
  url: string,
  options: { method?: string; headers?: Record<string, string>; port?: number } = {},
): Promise<Exchanged> {
  const { method = 'GET', headers = {}, port } = options;
  const { hostname, host, port: urlPort, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: port === undefined ? hostname : '127.0.0.1',
        port: port ?? urlPort,
        path: pathname + search,
        method,
        headers: { host, ...headers },
        agent: false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** For tests: sends raw bytes that no client library would send. Returns the status, or null for no response. */
export function exchangeRaw(options: { port: number; head: Buffer | string }): Promise<number | null> {
  return new Promise((resolve) => {
    const socket = connect(options.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
      if (answer.includes('\r\n')) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      // A line feed inside the request line makes it HTTP/0.9: nginx then answers with the body alone.
      const status = /^(?:HTTP\/1\.1 |\{.*"status":)(\d{3})/.exec(answer)?.[1];
      resolve(status === undefined ? null : Number(status));
    });
    socket.write(options.head);
  });
}
