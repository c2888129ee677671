import type { ProblemCode } from '@atelier/contract';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { type Answer, call, newIdempotencyKey } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { answerInTime } from './answer-in-time.ts';
import { expectProblem } from './expect-problem.ts';
import { readCpuMs } from './read-cpu.ts';
import { readRssMb } from './read-rss.ts';

const CPU_MS_PER_REQUEST = 50;
const RSS_GROWTH_MB = 200;
const COSTLY_REPEATS = 10;

let stack: Stack;
let key: string;
let rssBeforeMb: number;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 1, workers: 0 });
  key = (await makeAccount(stack)).key;
  await quote('{}');
  rssBeforeMb = readRssMb(stack.api().pid);
});

afterAll(() => stack?.stop());

function quote(body: string | Buffer): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  return answerInTime(() => call(stack.api().url, 'POST /v1/quotes', { key, body, headers }));
}

/** A valid request with an addition, written as text because no serializer would produce it. */
const around = (params: string, more = '') => `{"modelId":"canvas","params":{"prompt":"a"${params}}${more}}`;
const repeated = (count: number, item: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => item(n)).join(',');
const bytes = (...parts: Array<string | number[]>) => Buffer.concat(parts.map((part) => Buffer.from(part as string)));

interface Case {
  readonly code?: ProblemCode;
  readonly path?: string;
  readonly body: string | Buffer;
}

describe('refused bodies', () => {
  const table: Record<string, Case> = {
    'half a document': { path: '', body: '{"modelId":' },
    'two documents': { path: '', body: '{}{}' },
    'a comment': { path: '', body: '{/* a */}' },
    'a trailing comma': { path: '', body: around('', ',') },
    'only white space': { path: '', body: ' \n ' },
    'single quotes': { path: '', body: "{'modelId':'canvas'}" },
    'a byte order mark': { path: '', body: bytes([0xef, 0xbb, 0xbf], around('')) },
    'UTF-16': { path: '', body: Buffer.from(around(''), 'utf16le') },
    'bytes that are not UTF-8': {
      path: '',
      body: bytes('{"modelId":"canvas","params":{"prompt":"', [0xff, 0xc0], '"}}'),
    },
    'an overlong encoding': { path: '', body: bytes('{"modelId":"canvas","params":{"prompt":"', [0xc0, 0x80], '"}}') },
    'a surrogate in UTF-8': {
      path: '',
      body: bytes('{"modelId":"canvas","params":{"prompt":"', [0xed, 0xa0, 0x80], '"}}'),
    },
    NaN: { path: '', body: around(',"seed":NaN') },
    Infinity: { path: '', body: around(',"seed":Infinity') },
    '1e309': { path: 'params.seed', body: around(',"seed":1e309') },
    '-1e309': { path: 'params.seed', body: around(',"seed":-1e309') },
    '01': { path: '', body: around(',"seed":01') },
    '0x10': { path: '', body: around(',"seed":0x10') },
    'a lone surrogate': { path: 'params.prompt', body: '{"modelId":"canvas","params":{"prompt":"\\ud800"}}' },
    'a lone surrogate in a name': { path: 'params', body: around(',"\\udc00":1') },
    'an escaped NUL': { path: 'params.prompt', body: '{"modelId":"canvas","params":{"prompt":"a\\u0000b"}}' },
    'a raw NUL': { path: '', body: '{"modelId":"canvas","params":{"prompt":"a\0b"}}' },
    'an escape sequence of a terminal': {
      path: 'params.prompt',
      body: '{"modelId":"canvas","params":{"prompt":"\\u001b[2J"}}',
    },
    __proto__: { path: '__proto__', body: around('', ',"__proto__":{"draft":true}') },
    'an escaped __proto__': { path: '__proto__', body: around('', ',"\\u005f_proto__":{"draft":true}') },
    constructor: { path: 'params.constructor', body: around(',"constructor":{"prototype":{"a":1}}') },
    'a duplicate member': { path: 'modelId', body: around('', ',"modelId":"canvas-draft"') },
    'a duplicate param': { path: 'params.prompt', body: around(',"prompt":"b"') },
    'a duplicate member, once escaped': { path: 'modelId', body: around('', ',"mod\\u0065lId":"canvas"') },
    'a duplicate member with equal values': { path: 'modelId', body: around('', ',"modelId":"canvas"') },
    'a nested duplicate member': {
      path: 'params.images[1].a',
      body: around(',"images":[{"a":1},{"a":1,"b":[{}],"a":2}]'),
    },
    'depth 33': { code: 'input_too_large', body: `${'{"a":'.repeat(33)}1${'}'.repeat(33)}` },
    'depth 100,000 of objects': { code: 'input_too_large', body: '{"a":'.repeat(50_000) },
    'depth 100,000 of lists': { code: 'input_too_large', body: '['.repeat(100_000) },
    '20,000 members': { code: 'input_too_large', body: `{${repeated(20_000, (n) => `"k${n}":1`)}}` },
    '100,000 items': { code: 'input_too_large', body: around(`,"images":[${repeated(100_000, () => '1')}]`) },
    'a million members': { code: 'input_too_large', body: `{${repeated(1_000_000, (n) => `"k${n}":1`)}}` },
    '257 KB': { code: 'input_too_large', body: `"${'a'.repeat(257 * 1024)}"` },
    '10 MB': { code: 'input_too_large', body: `"${'a'.repeat(10 * 1024 * 1024)}"` },
    'a name of 250 KB': { body: around(`,"${'k'.repeat(250_000)}":1`) },
    'a number of 200,000 digits': { body: around(`,"seed":${'9'.repeat(200_000)}`) },
    '1,900 unknown members': { body: around(`,${repeated(1_900, (n) => `"k${n}":1`)}`) },
    '1,900 items': { body: around(`,"images":[${repeated(1_900, () => '1')}]`) },
    'a list': { path: '', body: '[]' },
    null: { path: '', body: 'null' },
    'a string': { path: '', body: '"canvas"' },
    nothing: { path: '', body: '' },
    'a fraction instead of an integer': { path: 'params.num_outputs', body: around(',"num_outputs":1.5') },
    'an integer beyond 2^53': { path: 'params.seed', body: around(',"seed":9007199254740993') },
  };
  test.each(Object.entries(table))('%s', async (_name, { code = 'invalid_params', path, body }) => {
    const answer = await quote(body);
    expectProblem(answer, { status: 400, code });
    if (path !== undefined) expect(answer.body.issues.map((issue: { path: string }) => issue.path)).toContain(path);
    expect(answer.text.length, 'the response does not echo the body').toBeLessThan(16_384);
  });

  test('a duplicate maxCoins charges nothing', async () => {
    const answer = await call(stack.api().url, 'POST /v1/generations', {
      key,
      json: '{"modelId":"canvas","params":{"prompt":"sim:ok"},"maxCoins":1,"maxCoins":999}',
      headers: { 'idempotency-key': newIdempotencyKey() },
    });
    expectProblem(answer, { status: 400, code: 'invalid_params' });
    expect(answer.body.issues).toEqual([{ path: 'maxCoins', message: 'must not be named twice' }]);
    expect((await call(stack.api().url, 'GET /v1/account', { key })).body.balance.held).toBe(0);
  });
});

describe('accepted bodies', () => {
  const table: Record<string, string> = {
    'minus zero, which is zero': around(',"seed":-0'),
    'one as 1.0': around(',"num_outputs":1.0'),
    'one as 1e0': around(',"num_outputs":1e0'),
    'a paired surrogate': '{"modelId":"canvas","params":{"prompt":"\\ud83d\\ude00"}}',
    'tab, newline and carriage return': '{"modelId":"canvas","params":{"prompt":"a\\tb\\r\\nc"}}',
    'equal names in different objects': '{"modelId":"canvas","params":{"prompt":"params"}}',
    'brackets and colons inside of strings': '{"modelId":"canvas","params":{"prompt":"[{\\"a\\":1,\\\\\\":,"}}',
    'white space all around': ` \r\n\t${around('')}\n`,
    'right-to-left text, and joiners': '{"modelId":"canvas","params":{"prompt":"\u202eabc\u200d\u0301"}}',
  };
  test.each(Object.entries(table))('%s', async (_name, body) => {
    const answer = await quote(body);
    expect(answer.status, answer.text).toBe(200);
  });
});

describe('cost', () => {
  const costly: Record<string, string> = {
    'the largest body': around(`,"negative_prompt":"${'é'.repeat(100_000)}"`),
    'the most members': around(`,${repeated(1_900, (n) => `"k${n}":{}`)}`),
    'the longest names': around(`,${repeated(500, (n) => `"${'k'.repeat(490)}${n}":1`)}`),
    'a duplicate at the end': around(`,${repeated(1_900, (n) => `"k${n}":"${'a'.repeat(100)}"`)},"k0":1`),
    'strings full of escapes': around(`,"negative_prompt":"${'\\u0041'.repeat(40_000)}"`),
  };
  test.each(Object.entries(costly))(`%s takes less than ${CPU_MS_PER_REQUEST} ms of CPU`, async (_name, body) => {
    await quote(body);
    const before = readCpuMs(stack.api().pid);
    for (let n = 0; n < COSTLY_REPEATS; n += 1) expectProblem(await quote(body), { status: 400 });
    const spentMs = (readCpuMs(stack.api().pid) - before) / COSTLY_REPEATS;
    console.info(`${_name}: ${spentMs.toFixed(1)} ms of CPU`);
    expect(spentMs).toBeLessThan(CPU_MS_PER_REQUEST);
  });

  test('20 concurrent bodies of 10 MB: every client gets the response, and memory is bounded', async () => {
    const huge = Buffer.alloc(10 * 1024 * 1024, 'a');
    const send = () =>
      call(stack.api().url, 'POST /v1/quotes', { key, body: huge, headers: { 'content-type': 'application/json' } });
    const answers = await Promise.all(Array.from({ length: 20 }, send));
    for (const answer of answers) expectProblem(answer, { status: 400, code: 'input_too_large' });
    const grownMb = readRssMb(stack.api().pid) - rssBeforeMb;
    console.info(`resident memory grew by ${grownMb.toFixed(0)} MB`);
    expect(grownMb).toBeLessThan(RSS_GROWTH_MB);
    expect(stack.api().logs.join('')).not.toMatch(/"level":"error"/);
  });
});
