import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { newIdempotencyKey } from './client.ts';

export interface Sent {
  readonly what: 'submit' | 'read';
  /** The status, or the error of the connection. */
  readonly status: number | string;
  readonly startedAtMs: number;
  readonly durationMs: number;
}

export interface SteadyLoad {
  readonly sent: readonly Sent[];
  /** Stops sending and waits for the responses. */
  stop(): Promise<void>;
}

const CONNECTIONS = 64;
const TIMEOUT_MS = 30_000;
/** Most end at once, so that a small machine keeps up with them. */
const CHEAP = 'sim:fail:internal';
const REAL = 'sim:ok:50';
const REAL_EVERY = 40;

/**
 * Sends requests at a rate, whether or not earlier ones were answered, with at most one per connection at a time: of four, one
 * submit and three reads. Nothing is retried, so every failure of the service is seen.
 */
export function startSteadyLoad(options: {
  url: string;
  key: string;
  requestsPerSecond: number;
  onAccepted?: (generationId: string) => void;
}): SteadyLoad {
  const { url, requestsPerSecond } = options;
  const agent = new Agent({ connections: CONNECTIONS, keepAliveTimeout: TIMEOUT_MS });
  const authorization = `Bearer ${options.key}`;
  const sent: Sent[] = [];
  const waiting = new Set<Promise<void>>();
  let last = '';
  let stopping = false;

  const send = async (what: Sent['what'], path: string, given: Parameters<typeof request>[1]) => {
    const startedAtMs = performance.now();
    let status: Sent['status'];
    try {
      const answer = await request(`${url}${path}`, {
        headersTimeout: TIMEOUT_MS,
        bodyTimeout: TIMEOUT_MS,
        ...given,
        dispatcher: agent,
      });
      const text = await answer.body.text();
      status = answer.statusCode;
      if (status === 201) {
        last = (JSON.parse(text) as { id: string }).id;
        options.onAccepted?.(last);
      }
    } catch (error) {
      status = (error as NodeJS.ErrnoException).code ?? String(error);
    }
    sent.push({ what, status, startedAtMs, durationMs: performance.now() - startedAtMs });
  };
  const submit = (n: number) =>
    send('submit', '/v1/generations', {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': newIdempotencyKey() },
      body: JSON.stringify({
        modelId: 'canvas',
        params: { prompt: n % REAL_EVERY === 0 ? REAL : CHEAP },
        maxCoins: 7,
      }),
    });
  const read = (n: number) =>
    send('read', n % 2 === 0 && last !== '' ? `/v1/generations/${last}` : '/v1/account', {
      headers: { authorization },
    });

  const run = async () => {
    const startedAtMs = performance.now();
    for (let n = 0; !stopping; n += 1) {
      const each: Promise<void> = (n % 4 === 0 ? submit(n) : read(n)).finally(() => waiting.delete(each));
      waiting.add(each);
      // More would wait in the client, and say nothing about the service.
      while (waiting.size >= CONNECTIONS) await Promise.race(waiting);
      const dueMs = startedAtMs + ((n + 1) * 1_000) / requestsPerSecond - performance.now();
      if (dueMs > 0) await sleep(dueMs);
      // Responses are read even if the rate is above what this machine can send.
      else if (n % 50 === 0) await sleep(0);
    }
  };
  const running = run();
  return {
    sent,
    async stop() {
      stopping = true;
      await running;
      await Promise.all(waiting);
      await agent.close();
    },
  };
}
