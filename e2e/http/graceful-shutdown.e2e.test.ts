import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { call, newIdempotencyKey } from '../harness/client.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';
import { formOf } from './form.ts';
import { picture } from './problems/world.ts';

const REQUESTS_PER_SECOND = 200;
const LOAD_MS = 5_000;
const SIGNAL_AFTER_MS = 2_000;
const UPLOADS_IN_FLIGHT = 6;
const EXIT_WITHIN_MS = 10_000;
const CARRIED_WITHIN_MS = 1_000;
const TRIES = 3;

let stack: Stack;
let key: string;
const agent = new Agent({ connections: 64, keepAliveTimeout: 30_000 });

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 2, workers: 0 });
  key = (await makeAccount(stack)).key;
});

afterAll(async () => {
  await agent.close();
  await stack?.stop();
});

interface Outcome {
  readonly status: number | string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/**
 * Uses the other process if this one accepts no connections. The kernel resets a connection that arrives while the
 * listener closes: only a request sent after the signal may meet that, and every request here is safe to repeat.
 */
async function send(
  targets: readonly [string, string],
  options: Parameters<typeof request>[1],
  isStopping: boolean,
): Promise<Outcome> {
  const startedAt = performance.now();
  const another = isStopping ? ['ECONNREFUSED', 'ECONNRESET'] : ['ECONNREFUSED'];
  for (const url of targets) {
    try {
      const answer = await request(url, { ...options, dispatcher: agent });
      await answer.body.dump();
      return { status: answer.statusCode, startedAt, endedAt: performance.now() };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!another.includes(code ?? ''))
        return { status: String(code ?? error), startedAt, endedAt: performance.now() };
    }
  }
  return { status: 'refused by both processes', startedAt, endedAt: performance.now() };
}

interface Run {
  readonly outcomes: readonly Outcome[];
  readonly signaledAt: number;
  readonly exit: Promise<unknown>;
}

/** Sends reads and submits at the given rate to both in turn, and stops the first in the middle. */
async function runLoad(first: Member, second: Member): Promise<Run> {
  const pair = (n: number, path: string): [string, string] =>
    n % 2 === 0 ? [`${first.url}${path}`, `${second.url}${path}`] : [`${second.url}${path}`, `${first.url}${path}`];
  let signaledAt = 0;
  const authorization = { authorization: `Bearer ${key}` };
  const read = (n: number) => send(pair(n, '/v1/account'), { headers: authorization }, signaledAt > 0);
  const create = (n: number) => {
    const options = {
      method: 'POST' as const,
      headers: { ...authorization, 'content-type': 'application/json', 'idempotency-key': newIdempotencyKey() },
      body: JSON.stringify({ modelId: 'canvas', params: { prompt: 'sim:ok' }, maxCoins: 7 }),
    };
    return send(pair(n, '/v1/generations'), options, signaledAt > 0);
  };
  const put = () => {
    const { body, headers } = formOf(picture({ width: 512, height: 512 }));
    const options = { method: 'POST' as const, headers: { ...authorization, ...headers }, body: body as Buffer };
    return send([`${first.url}/v1/uploads`, `${second.url}/v1/uploads`], options, false);
  };

  const sent: Array<Promise<Outcome>> = [];
  const startedAt = performance.now();
  for (let n = 0; performance.now() - startedAt < LOAD_MS; n += 1) {
    sent.push(n % 4 < 2 ? create(n) : read(n));
    if (signaledAt === 0 && performance.now() - startedAt > SIGNAL_AFTER_MS) {
      for (let upload = 0; upload < UPLOADS_IN_FLIGHT; upload += 1) sent.push(put());
      await new Promise((resolve) => setTimeout(resolve, 20));
      signaledAt = performance.now();
      first.signal('SIGTERM');
    }
    const dueMs = startedAt + ((n + 1) * 1000) / REQUESTS_PER_SECOND - performance.now();
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs));
  }
  return { outcomes: await Promise.all(sent), signaledAt, exit: first.gone() };
}

/** Whether the machine can handle the load: if requests wait for seconds, the signal is not what fails them. */
function isCarried({ outcomes, signaledAt }: Run): boolean {
  const before = outcomes.filter(({ endedAt }) => endedAt < signaledAt).map((each) => each.endedAt - each.startedAt);
  const inFlight = outcomes.filter((each) => each.startedAt < signaledAt && each.endedAt > signaledAt);
  return Math.max(...before) < CARRIED_WITHIN_MS && inFlight.length < REQUESTS_PER_SECOND;
}

describe('SIGTERM under load', () => {
  test(`${REQUESTS_PER_SECOND} requests a second on two processes: none in flight fails`, async () => {
    let run = await runLoad(stack.api(0), stack.api(1));
    for (let tries = 1; tries < TRIES && !isCarried(run); tries += 1) {
      console.info('the machine is too slow for the load; trying again');
      run = await runLoad(await stack.start('api'), stack.api());
    }
    const { outcomes, signaledAt, exit } = run;
    const failed = outcomes.filter(({ status }) => status !== 200 && status !== 201);
    const inFlight = outcomes.filter((each) => each.startedAt < signaledAt && each.endedAt > signaledAt);
    console.info(`${outcomes.length} requests, ${inFlight.length} in flight at the signal, ${failed.length} failed`);
    const told = failed.map(({ status, startedAt, endedAt }) => {
      const since = (at: number) => `${((at - signaledAt) / 1000).toFixed(2)} s`;
      return `${status}: sent ${since(startedAt)}, ended ${since(endedAt)} after the signal`;
    });
    expect(told).toEqual([]);
    expect(inFlight.length).toBeGreaterThanOrEqual(UPLOADS_IN_FLIGHT);
    expect(await exit).toEqual({ code: 0, signal: null });
    console.info(`gone ${((performance.now() - signaledAt) / 1000).toFixed(1)} s after the signal at most`);
    expect(performance.now() - signaledAt).toBeLessThan(EXIT_WITHIN_MS);
    await stack.assertBooks();
  });

  test('a process without connections exits immediately', async () => {
    const member = await stack.start('api');
    await call(member.url, 'GET /v1/models', { headers: { connection: 'close' } });
    const startedAt = performance.now();
    member.signal('SIGTERM');
    expect(await member.gone()).toEqual({ code: 0, signal: null });
    console.info(`exited in ${(performance.now() - startedAt).toFixed(0)} ms`);
    expect(performance.now() - startedAt).toBeLessThan(EXIT_WITHIN_MS);
  });

  test('a stream does not delay the exit', async () => {
    const member = await stack.start('api');
    const stream = await request(`${member.url}/v1/events/stream`, {
      headers: { authorization: `Bearer ${key}` },
      dispatcher: agent,
    });
    expect(stream.statusCode).toBe(200);
    member.signal('SIGTERM');
    await stream.body.text();
    expect(await member.gone()).toEqual({ code: 0, signal: null });
  });
});
