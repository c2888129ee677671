import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { call } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { expectProblem } from './expect-problem.ts';
import { drip, type RawExchange } from './raw-socket.ts';

const DRIP_EVERY_MS = 1_000;
const GIVE_UP_MS = 30_000;
/** Allowance for check intervals, the linger time, and a busy machine. */
const SLACK_MS = 5_000;
const HEADERS_MS = 10_000;
const BODY_MS = 15_000;
const LEFTOVER_MS = 5_000;
const UPLOAD_WINDOW_MS = 10_000;
const HOST = 'Host: api.example\r\n';

let stack: Stack;
let key: string;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 1, workers: 0 });
  key = (await makeAccount(stack)).key;
});

afterAll(() => stack?.stop());

interface Slow {
  readonly head: string;
  readonly body: string;
  readonly withinMs: number;
  /** The expected response statuses; the last one belongs to the slow request. */
  readonly statuses: readonly number[];
}

/** Concurrently, since each takes the maximum time. */
test('a client that sends one byte per second is disconnected in time', async () => {
  const authorization = `Authorization: Bearer ${key}\r\n`;
  const json = 'Content-Type: application/json\r\n';
  const post = (path: string, headers: string) => `POST ${path} HTTP/1.1\r\n${HOST}${headers}\r\n`;
  const cancelPath = '/v1/generations/01890a5d-ac96-774b-bcce-b302099a8057/cancel';
  const form = 'Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 100000\r\n';
  const part = '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n';
  const clients: Record<string, Slow> = {
    silence: { head: '', body: '', withinMs: HEADERS_MS, statuses: [408] },
    'a request line': { head: '', body: 'GET /v1/models-and-more', withinMs: HEADERS_MS, statuses: [408] },
    headers: { head: `GET /v1/models HTTP/1.1\r\n${HOST}X: `, body: 'a', withinMs: HEADERS_MS, statuses: [408] },
    'headers of a second request': {
      head: `GET /v1/effects HTTP/1.1\r\n${HOST}\r\nGET /v1/models HTTP/1.1\r\n${HOST}X: `,
      body: 'a',
      withinMs: HEADERS_MS,
      statuses: [200, 408],
    },
    'a JSON body': {
      head: post('/v1/quotes', `${authorization}${json}Content-Length: 1000\r\n`),
      body: ' ',
      withinMs: BODY_MS,
      statuses: [400],
    },
    'a JSON body in chunks': {
      head: post('/v1/generations', `${authorization}${json}Transfer-Encoding: chunked\r\n`),
      body: '1\r\n \r\n',
      withinMs: BODY_MS,
      statuses: [400],
    },
    'an unexpected body': {
      head: post(cancelPath, `${authorization}${json}Content-Length: 1000\r\n`),
      body: ' ',
      withinMs: BODY_MS,
      statuses: [400],
    },
    'a body without a key': {
      head: post('/v1/quotes', `${json}Content-Length: 1000\r\n`),
      body: ' ',
      withinMs: LEFTOVER_MS,
      statuses: [401],
    },
    'a body to an unknown path': {
      head: post('/v1/nothing', `${json}Content-Length: 1000\r\n`),
      body: ' ',
      withinMs: LEFTOVER_MS,
      statuses: [404],
    },
    'a body that is too large': {
      head: post('/v1/quotes', `${authorization}${json}Content-Length: 1000000\r\n`),
      body: ' ',
      withinMs: LEFTOVER_MS,
      statuses: [400],
    },
    'a body behind a GET': {
      head: `GET /v1/models HTTP/1.1\r\n${HOST}Content-Length: 1000\r\n\r\n`,
      body: ' ',
      withinMs: LEFTOVER_MS,
      statuses: [200],
    },
    'an upload without a key': {
      head: post('/v1/uploads', form),
      body: 'a',
      withinMs: LEFTOVER_MS,
      statuses: [401],
    },
    'the beginning of an upload': {
      head: post('/v1/uploads', `${authorization}${form}`),
      body: '-',
      withinMs: UPLOAD_WINDOW_MS + LEFTOVER_MS,
      statuses: [400],
    },
    'an uploaded file': {
      head: `${post('/v1/uploads', `${authorization}${form}`)}${part}`,
      body: 'a',
      withinMs: UPLOAD_WINDOW_MS + LEFTOVER_MS,
      statuses: [400],
    },
  };
  const { url } = stack.api();
  const run = async ([name, { head, body }]: [string, Slow]): Promise<[string, RawExchange]> => [
    name,
    await drip(url, { head, body, everyMs: DRIP_EVERY_MS, timeoutMs: GIVE_UP_MS }),
  ];
  const seen = new Map(await Promise.all(Object.entries(clients).map(run)));
  for (const [name, { withinMs, statuses }] of Object.entries(clients)) {
    const { responses, end, durationMs } = seen.get(name) as RawExchange;
    console.info(`${name}: ${responses.map(({ status }) => status)} after ${(durationMs / 1000).toFixed(1)} s`);
    expect.soft(end, `${name}: the connection is closed`).not.toBe('open');
    expect.soft(durationMs, `${name}: in time`).toBeLessThan(withinMs + SLACK_MS);
    expect
      .soft(
        responses.map(({ status }) => status),
        name,
      )
      .toEqual(statuses);
    const last = responses.at(-1);
    if (last !== undefined && last.status >= 400) expectProblem(last);
  }
  expect((await call(url, 'GET /v1/account', { key })).status).toBe(200);
  expect(stack.api().logs.join('')).not.toMatch(/"level":"error"/);
});
