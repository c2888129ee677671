import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Random } from '../harness/seeded-random.ts';

/** What can happen to one request on its way. The share of each; the rest passes. */
const FAULTS = {
  'response lost': 0.06,
  'reset in the request': 0.06,
  'reset in the response': 0.06,
  '429 before the service': 0.05,
  '503 before the service': 0.05,
  '503 after the service': 0.05,
  'slow drip': 0.06,
  'stalled response': 0.01,
  'sent twice': 0.08,
} as const;
export type Fault = keyof typeof FAULTS | 'none';

const DRIP_PIECES = 10;
const DRIP_MS = 20;

export interface LossyProxy {
  readonly url: string;
  /** How many requests met each fault. */
  readonly seen: Readonly<Record<Fault, number>>;
  close(): Promise<void>;
}

/** A proxy between a client and the service that harms a share of the requests. */
export async function startLossyProxy(targetUrl: string, random: Random): Promise<LossyProxy> {
  const target = new URL(targetUrl);
  const seen = Object.fromEntries([...Object.keys(FAULTS), 'none'].map((fault) => [fault, 0])) as Record<Fault, number>;

  const server = createServer((request, response) => {
    const fault = chooseFault(random);
    seen[fault] += 1;
    handle(fault, request, response).catch(() => request.socket.destroy());
  });

  async function handle(fault: Fault, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (fault === 'reset in the request') {
      request.once('data', () => reset(request.socket));
      return;
    }
    const body = await readAll(request);
    if (fault === '429 before the service') return refuse(response, 429);
    if (fault === '503 before the service') return refuse(response, 503);
    const answers = Array.from({ length: fault === 'sent twice' ? 2 : 1 }, () => forward(request, body));
    const answer = (await Promise.all(answers))[0]!;
    if (fault === 'response lost') return reset(request.socket);
    if (fault === '503 after the service') return refuse(response, 503);
    const { 'transfer-encoding': _chunked, ...headers } = answer.headers;
    response.writeHead(answer.status, { ...headers, 'content-length': answer.body.length });
    const half = Math.floor(answer.body.length / 2);
    if (fault === 'reset in the response') {
      response.write(answer.body.subarray(0, half), () => reset(request.socket));
    } else if (fault === 'stalled response') {
      response.write(answer.body.subarray(0, half));
    } else if (fault === 'slow drip') {
      const pieceBytes = Math.ceil(answer.body.length / DRIP_PIECES);
      for (let at = 0; at < answer.body.length; at += pieceBytes) {
        response.write(answer.body.subarray(at, at + pieceBytes));
        await new Promise((resolve) => setTimeout(resolve, DRIP_MS));
      }
      response.end();
    } else response.end(answer.body);
  }

  function forward(request: IncomingMessage, body: Buffer) {
    return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
      const { host: _host, ...headers } = request.headers;
      const onward = httpRequest(
        { host: target.hostname, port: target.port, method: request.method, path: request.url, headers },
        (answer) => {
          readAll(answer).then(
            (bytes) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: bytes }),
            reject,
          );
        },
      );
      onward.once('error', reject);
      onward.end(body);
    });
  }

  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function chooseFault(random: Random): Fault {
  let left = random.next();
  for (const [fault, share] of Object.entries(FAULTS)) {
    left -= share;
    if (left < 0) return fault as Fault;
  }
  return 'none';
}

function refuse(response: ServerResponse, status: number): void {
  response.writeHead(status, { 'content-type': 'text/plain', 'retry-after': '0' }).end('refused by the proxy');
}

const reset = (socket: Socket) => void socket.resetAndDestroy();

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
