import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { call, until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { answerInTime } from './answer-in-time.ts';
import { expectProblem } from './expect-problem.ts';
import { exchange, type RawExchange } from './raw-socket.ts';
import { readRssMb } from './read-rss.ts';

const RSS_GROWTH_MB = 150;
const HOST = 'Host: api.example\r\n';
const QUOTE = JSON.stringify({ modelId: 'canvas', params: { prompt: 'sim:ok' } });

let stack: Stack;
let key: string;
let rssBeforeMb: number;
const url = () => stack.api().url;
const authorization = () => `Authorization: Bearer ${key}\r\n`;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 1, workers: 0 });
  key = (await makeAccount(stack)).key;
  await call(url(), 'GET /v1/account', { key });
  rssBeforeMb = readRssMb(stack.api().pid);
});

afterAll(() => stack?.stop());

/** A quote request with custom headers, sent at once. */
const quote = (headers: string, body = QUOTE) =>
  `POST /v1/quotes HTTP/1.1\r\n${HOST}${authorization()}${headers}\r\n${body}`;
const sized = (contentType: string, body = QUOTE) =>
  quote(`Content-Type: ${contentType}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`, body);
const json = 'Content-Type: application/json\r\n';
const models = (headers: string) => `GET /v1/models HTTP/1.1\r\n${HOST}${headers}\r\n`;
const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

async function send(bytes: string, options?: Parameters<typeof exchange>[2]): Promise<RawExchange> {
  const seen = await answerInTime(() => exchange(url(), bytes, options));
  expect(stack.api().alive()).toBe(true);
  return seen;
}

const only = (seen: RawExchange) => {
  expect(seen.responses).toHaveLength(1);
  return seen.responses[0] as RawExchange['responses'][number];
};

describe('refused requests', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, n) => `A${n}: 1\r\n`).join('');
  const table: Record<string, { status: number; bytes: () => string }> = {
    'a header of 17 KB': { status: 431, bytes: () => models(`X: ${'a'.repeat(17_000)}\r\n`) },
    'a header of 1 MB': { status: 431, bytes: () => models(`X: ${'a'.repeat(1_000_000)}\r\n`) },
    'a path of 17 KB': { status: 431, bytes: () => `GET /${'a'.repeat(17_000)} HTTP/1.1\r\n${HOST}\r\n` },
    '2,000 header fields': { status: 431, bytes: () => models(fields(2_000)) },
    '101 header fields': { status: 431, bytes: () => models(fields(100)) },
    'Content-Length and Transfer-Encoding': {
      status: 400,
      bytes: () => quote(`${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`, chunked(QUOTE)),
    },
    'two Content-Lengths': {
      status: 400,
      bytes: () => quote(`${json}Content-Length: ${QUOTE.length}\r\nContent-Length: 5\r\n`),
    },
    'a list in Content-Length': {
      status: 400,
      bytes: () => quote(`${json}Content-Length: ${QUOTE.length}, ${QUOTE.length}\r\n`),
    },
    'a negative Content-Length': { status: 400, bytes: () => quote(`${json}Content-Length: -1\r\n`) },
    'a Content-Length with a plus': { status: 400, bytes: () => quote(`${json}Content-Length: +5\r\n`) },
    'a Content-Length beyond 64 bits': {
      status: 400,
      bytes: () => quote(`${json}Content-Length: ${'9'.repeat(20)}\r\n`),
    },
    'an unknown transfer coding': {
      status: 400,
      bytes: () => quote(`${json}Transfer-Encoding: xchunked\r\n`, chunked(QUOTE)),
    },
    'two transfer codings': {
      status: 400,
      bytes: () => quote(`${json}Transfer-Encoding: gzip, chunked\r\n`, chunked(QUOTE)),
    },
    'a chunk without a size': { status: 400, bytes: () => quote(`${json}Transfer-Encoding: chunked\r\n`, 'zz\r\n') },
    'chunk extensions of 20 KB': {
      status: 413,
      bytes: () => quote(`${json}Transfer-Encoding: chunked\r\n`, `5;${'a'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`),
    },
    'two Hosts': { status: 400, bytes: () => models('Host: other.example\r\n') },
    'no Host': { status: 400, bytes: () => 'GET /v1/models HTTP/1.1\r\n\r\n' },
    'two Authorizations': {
      status: 400,
      bytes: () => `GET /v1/account HTTP/1.1\r\n${HOST}${authorization()}Authorization: Bearer other\r\n\r\n`,
    },
    'two Content-Types': {
      status: 400,
      bytes: () => quote(`${json}content-type: text/plain\r\nContent-Length: ${QUOTE.length}\r\n`),
    },
    'a CR in a header': { status: 400, bytes: () => models('X: a\rY: b\r\n') },
    'an LF in a header': { status: 400, bytes: () => models('X: a\nY: b\r\n') },
    'a NUL in a header': { status: 400, bytes: () => models('X: a\0b\r\n') },
    'a space before the colon': { status: 400, bytes: () => models('X : b\r\n') },
    'a folded header': { status: 400, bytes: () => models('X: a\r\n b\r\n') },
    'an unknown expectation': { status: 417, bytes: () => models('Expect: a-miracle\r\n') },
    'HTTP/0.9': { status: 400, bytes: () => 'GET /v1/models\r\n\r\n' },
    'HTTP/1.2': { status: 400, bytes: () => `GET /v1/models HTTP/1.2\r\n${HOST}\r\n` },
    'the preface of HTTP/2': { status: 400, bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
    'a TLS hello': { status: 400, bytes: () => '\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03' },
    'bytes above 127 in the path': { status: 400, bytes: () => `GET /v1/\xff\xfe HTTP/1.1\r\n${HOST}\r\n` },
    'an unknown method': { status: 400, bytes: () => `BREW /v1/models HTTP/1.1\r\n${HOST}\r\n` },
    TRACE: { status: 405, bytes: () => `TRACE /v1/models HTTP/1.1\r\n${HOST}\r\n` },
    CONNECT: { status: 405, bytes: () => `CONNECT api.example:443 HTTP/1.1\r\n${HOST}\r\n` },
    OPTIONS: { status: 405, bytes: () => `OPTIONS /v1/models HTTP/1.1\r\n${HOST}\r\n` },
    QUERY: { status: 405, bytes: () => `QUERY /v1/models HTTP/1.1\r\n${HOST}\r\n` },
    'DELETE by absolute URI': {
      status: 405,
      bytes: () => `DELETE http://api.example/v1/models HTTP/1.1\r\n${HOST}\r\n`,
    },
    'POST to a page': { status: 405, bytes: () => `POST /openapi.json HTTP/1.1\r\n${HOST}Content-Length: 0\r\n\r\n` },
    'OPTIONS of the server': { status: 404, bytes: () => `OPTIONS * HTTP/1.1\r\n${HOST}\r\n` },
    'an unknown path': { status: 404, bytes: () => `GET /v1/nothing HTTP/1.1\r\n${HOST}\r\n` },
    'an unknown path with a broken body': {
      status: 404,
      bytes: () => `POST /v1/nothing HTTP/1.1\r\n${HOST}${json}Content-Length: 3\r\n\r\n{]}`,
    },
    'a path with dots': { status: 404, bytes: () => `GET /v1/../v1/models HTTP/1.1\r\n${HOST}\r\n` },
    'a path with a doubled slash': { status: 404, bytes: () => `GET //v1/models HTTP/1.1\r\n${HOST}\r\n` },
    'a path in another case': { status: 404, bytes: () => `GET /V1/MODELS HTTP/1.1\r\n${HOST}\r\n` },
    'an id of 300 letters': {
      status: 404,
      bytes: () => `GET /v1/assets/${'a'.repeat(300)} HTTP/1.1\r\n${HOST}${authorization()}\r\n`,
    },
    'an id with a NUL': { status: 404, bytes: () => `GET /v1/assets/%00 HTTP/1.1\r\n${HOST}${authorization()}\r\n` },
    'a path that is not a valid URI': {
      status: 400,
      bytes: () => `GET /v1/assets/%zz HTTP/1.1\r\n${HOST}${authorization()}\r\n`,
    },
    'a NUL in the query': {
      status: 400,
      bytes: () => `GET /v1/generations?modelId=%00 HTTP/1.1\r\n${HOST}${authorization()}\r\n`,
    },
    'one query field twice': {
      status: 400,
      bytes: () => `GET /v1/generations?limit=1&limit=2 HTTP/1.1\r\n${HOST}${authorization()}\r\n`,
    },
    'a prototype name in the query': {
      status: 400,
      bytes: () => `GET /v1/generations?__proto__=1 HTTP/1.1\r\n${HOST}${authorization()}\r\n`,
    },
    'a body longer than Content-Length': {
      status: 400,
      bytes: () => quote(`${json}Content-Length: 3\r\n`),
    },
  };
  test.each(Object.entries(table))('%s', async (_name, { status, bytes }) => {
    const { responses } = await send(bytes());
    const [response] = responses as [RawExchange['responses'][number]];
    expect(response, 'an answer').toBeDefined();
    expectProblem(response, { status });
    if (status === 405) expect(response.headers.allow).toMatch(/\bGET\b/);
  });
});

describe('accepted requests', () => {
  const table: Record<string, () => string> = {
    'HTTP/1.0 without Host': () => 'GET /v1/models HTTP/1.0\r\n\r\n',
    'an absolute URI': () => `GET http://other.example/v1/models HTTP/1.1\r\n${HOST}\r\n`,
    'an upgrade, ignored': () => models('Connection: Upgrade\r\nUpgrade: websocket\r\n'),
    'a tab before chunked': () => quote(`${json}Transfer-Encoding:\tchunked\r\n`, chunked(QUOTE)),
    'trailers, ignored': () =>
      quote(
        `${json}Transfer-Encoding: chunked\r\n`,
        `${QUOTE.length.toString(16)}\r\n${QUOTE}\r\n0\r\nAuthorization: Bearer other\r\n\r\n`,
      ),
    'forwarding headers of an untrusted client': () =>
      models(
        'X-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Host: other.example\r\nX-Forwarded-Proto: gopher\r\nForwarded: for=_x\r\n',
      ),
    '99 header fields': () => models(Array.from({ length: 98 }, (_, n) => `A${n}: 1\r\n`).join('')),
  };
  test.each(Object.entries(table))('%s', async (_name, bytes) => {
    const response = only(await send(bytes()));
    expect(response.status, response.text).toBe(200);
    expect(response.text, 'the response does not echo the request').not.toContain('other.example');
  });

  test('Expect: 100-continue', async () => {
    const { responses } = await send(quote(`${json}Expect: 100-continue\r\nContent-Length: ${QUOTE.length}\r\n`), {
      expected: 2,
    });
    expect(responses.map(({ status }) => status)).toEqual([100, 200]);
  });

  test('50 pipelined requests, answered in order', async () => {
    const quotes = Array.from({ length: 50 }, (_, n) =>
      sized(
        'application/json',
        JSON.stringify({ modelId: 'canvas', params: { prompt: 'a', num_outputs: (n % 4) + 1 } }),
      ),
    );
    const { responses } = await exchange(url(), quotes.join(''), { expected: 50 });
    expect(responses.map(({ text }) => (JSON.parse(text) as { outputs: number }).outputs)).toEqual(
      quotes.map((_, n) => (n % 4) + 1),
    );
  });

  test('a request pipelined after a rejected one is not read', async () => {
    const smuggled = `GET /v1/models HTTP/1.1\r\n${HOST}\r\n`;
    const { responses } = await send(
      `${quote(`${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`, '0\r\n\r\n')}${smuggled}`,
      { expected: 2 },
    );
    expect(responses.map(({ status }) => status)).toEqual([400]);
  });
});

describe('Content-Type', () => {
  const VALID = [
    'application/json',
    'APPLICATION/JSON',
    'application/json\t',
    'application/json\t;charset=utf-8',
    'application/json;',
  ];
  const INVALID = [
    'application/json2',
    'xapplication/json',
    'application/vnd.api+json',
    'application/json, text/plain',
    'text/plain',
    'text/plain;application/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'multipart/form-data',
    '',
  ];
  const BAD_QUOTE = JSON.stringify({ modelId: 'canvas', params: { prompt: 'sim:ok' }, draft: 'no boolean' });

  test.each(VALID)('%j is accepted and its body validated', async (contentType) => {
    expect(only(await send(sized(contentType))).status).toBe(200);
    expectProblem(only(await send(sized(contentType, BAD_QUOTE))), { status: 400, code: 'invalid_params' });
  });
  test.each(INVALID)('%j is rejected', async (contentType) => {
    expectProblem(only(await send(sized(contentType))), { status: 400, code: 'invalid_params' });
  });
  test.each(['utf-16', 'iso-8859-1', '"utf-8', 'x;y=z'])('charset=%s does not skip validation', async (charset) => {
    expectProblem(only(await send(sized(`application/json; charset=${charset}`, BAD_QUOTE))), { status: 400 });
  });
});

describe('Idempotency-Key', () => {
  const good = 'k'.repeat(16);
  const submitWith = (headers: string) => {
    const body = JSON.stringify({ modelId: 'canvas', params: { prompt: 'sim:ok' }, maxCoins: 100 });
    return `POST /v1/generations HTTP/1.1\r\n${HOST}${authorization()}${json}${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
  };
  const table: Record<string, [status: number, headers: string]> = {
    '15 characters': [400, `Idempotency-Key: ${'k'.repeat(15)}\r\n`],
    '16 characters': [201, `Idempotency-Key: ${'a'.repeat(16)}\r\n`],
    '128 characters': [201, `Idempotency-Key: ${'b'.repeat(128)}\r\n`],
    '129 characters': [400, `Idempotency-Key: ${'b'.repeat(129)}\r\n`],
    'the quoted form of the draft': [400, `Idempotency-Key: "${good}"\r\n`],
    'two headers': [400, `Idempotency-Key: ${good}\r\nIdempotency-Key: ${good}\r\n`],
    'a comma': [400, `Idempotency-Key: ${good},${good}\r\n`],
    'a space': [400, `Idempotency-Key: ${good} ${good}\r\n`],
    'a non-ASCII letter': [400, `Idempotency-Key: ${good}\xe4\r\n`],
    'surrounding spaces, which HTTP removes': [201, `Idempotency-Key:   ${'c'.repeat(20)}  \r\n`],
    empty: [400, 'Idempotency-Key:\r\n'],
    absent: [400, ''],
  };
  test.each(Object.entries(table))('%s', async (_name, [status, headers]) => {
    const response = only(await send(submitWith(headers)));
    expect(response.status, response.text).toBe(status);
    if (status === 400) expectProblem(response, { status: 400 });
  });
});

describe('after all of it', () => {
  test('500 concurrent malformed requests do not affect the process', async () => {
    const garbage = Array.from({ length: 500 }, (_, n) => `${'G'.repeat(n)} \x00\r\n\r\n`);
    const seen = await Promise.all(garbage.map((bytes) => exchange(url(), bytes)));
    expect(seen.every(({ responses }) => responses[0]?.status === 400)).toBe(true);
  });

  test('no connection remains, memory is bounded, and the service still works', async () => {
    expect((await call(url(), 'GET /v1/account', { key })).status).toBe(200);
    const grownMb = await until('memory is back', async () => {
      const growth = readRssMb(stack.api().pid) - rssBeforeMb;
      return growth < RSS_GROWTH_MB && { growth };
    });
    console.info(`resident memory grew by ${grownMb.growth.toFixed(0)} MB`);
    const logs = stack.api().logs.join('');
    expect(logs, 'no error was logged').not.toMatch(/"level":"error"/);
  });
});
