import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { quantile } from '../rounds.ts';
import type { OpenLoopOrder, OpenLoopResult } from './open-loop.ts';

const script = fileURLToPath(new URL('./open-loop-process.ts', import.meta.url));

export interface OpenLoopFigures {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** How late the generator sent its requests. */
  readonly lagP99Ms: number;
}

/** Latencies of a server at a fixed rate, from the time each request was due. The generator has its own process. */
export async function measureOpenLoop(order: OpenLoopOrder): Promise<OpenLoopFigures> {
  const child = fork(script, [], { execArgv: [] });
  const result = await new Promise<OpenLoopResult>((resolve, reject) => {
    child.once('message', (message) => resolve(message as OpenLoopResult));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the load generator exited with ${code}`)));
    child.send(order);
  });
  if (result.failures > 0) throw new Error(`${result.failures} requests failed at ${order.origin}`);
  return {
    requests: result.latenciesMs.length,
    p50Ms: quantile(result.latenciesMs, 0.5),
    p99Ms: quantile(result.latenciesMs, 0.99),
    lagP99Ms: quantile(result.lagsMs, 0.99),
  };
}

/** The bytes of a request with a JSON body or none. */
export function formatRequest(request: {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly key: string;
  readonly body?: string;
}): string {
  const { host, pathname, search } = new URL(request.url);
  const lines = [
    `${request.method} ${pathname}${search} HTTP/1.1`,
    `Host: ${host}`,
    `Authorization: Bearer ${request.key}`,
  ];
  if (request.body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(request.body)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${request.body ?? ''}`;
}
