import { setTimeout as sleep } from 'node:timers/promises';
import { type Seen, sendJson, startTestServer, type TestServer } from './test-server.ts';

export type Predict = (input: Record<string, unknown>) => Record<string, unknown>;

export interface CogServer extends TestServer {
  predict: Predict;
  delayMs: number;
  health: string;
  readonly running: Set<string>;
  readonly inputs: Record<string, unknown>[];
  readonly canceled: string[];
}

/** A Cog server: one prediction at a time, no status call, and no cancel of one made by an open call. */
export async function startCogServer(): Promise<CogServer> {
  const running = new Set<string>();
  const inputs: Record<string, unknown>[] = [];
  const canceled: string[] = [];

  async function respond(seen: Seen, response: Parameters<typeof sendJson>[0]): Promise<void> {
    const [, id, cancel] = /^\/predictions\/([^/]+)(\/cancel)?$/.exec(seen.path) ?? [];
    if (seen.path === '/health-check')
      return sendJson(response, 200, { status: server.health, version: { coglet: '0.17.0' } });
    if (id === undefined || (cancel === undefined && seen.method !== 'PUT'))
      return sendJson(response, 404, { detail: 'Not Found' });
    if (cancel !== undefined) {
      canceled.push(id);
      return sendJson(response, 404, {});
    }
    if (running.has(id)) return sendJson(response, 202, { id, status: 'starting' });
    if (running.size > 0) return sendJson(response, 409, { detail: 'Already running a prediction' });
    const input = seen.json().input as Record<string, unknown>;
    if ('bad' in input)
      return sendJson(response, 422, {
        detail: [{ loc: ['body', 'input', 'bad'], msg: 'Unexpected field', type: 'extra_forbidden' }],
      });
    running.add(id);
    inputs.push(input);
    await sleep(server.delayMs);
    running.delete(id);
    sendJson(response, 200, { id, metrics: { predict_time: 0.1 }, ...server.predict(input) });
  }

  const started = await startTestServer(respond);
  const server: CogServer = Object.assign(started, {
    running,
    inputs,
    canceled,
    delayMs: 10,
    health: 'READY',
    predict: (() => ({
      status: 'succeeded',
      output: `data:image/png;base64,${Buffer.from('picture').toString('base64')}`,
    })) as Predict,
  });
  return server;
}
