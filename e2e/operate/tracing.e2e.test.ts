import { randomBytes } from 'node:crypto';
import type { Generation } from '@atelier/contract';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { call, newIdempotencyKey, submit, until } from '../harness/client.ts';
import { readMetric } from '../harness/read-metric.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';
import { makeEndpoint } from '../webhooks/make-endpoint.ts';
import { type ReceiverProcess, startReceiverProcess } from '../webhooks/start-receiver-process.ts';
import { type Collector, type SentSpan, startCollector } from './start-collector.ts';

const COLLECTOR_SECRET = 'collector-secret-5f1a';
const ANSWER_TIMEOUT_MS = 60_000;

let collector: Collector;
let receiver: ReceiverProcess;
let stack: Stack;
let account: TestAccount;

beforeAll(async () => {
  [collector, receiver] = await Promise.all([startCollector(), startReceiverProcess()]);
  stack = await startStack({
    services: inject('services'),
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: `x-collector-key=${COLLECTOR_SECRET}`,
      OTEL_SERVICE_NAME: 'atelier-e2e',
      LOG_LEVEL: 'info',
      TRUSTED_PROXIES: '127.0.0.1/32',
    },
  });
  account = await makeAccount(stack, { runLimit: 1 });
  await makeEndpoint(stack, { accountId: account.accountId, url: `${receiver.url}/hook?token=endpoint-secret-77` });
});

afterAll(async () => {
  await stack?.stop();
  receiver?.stop();
  await collector?.close();
});

const spansOf = (generationId: string, names: readonly string[]): Promise<readonly SentSpan[]> =>
  until(
    `spans ${names.join(', ')} of generation ${generationId}`,
    async () => {
      const own = collector.spans.filter(({ attributes }) => attributes['atelier.generation.id'] === generationId);
      const traceId = own[0]?.traceId;
      const all = collector.spans.filter((span) => span.traceId === traceId);
      return names.every((name) => all.some((span) => span.name === name)) && all;
    },
    ANSWER_TIMEOUT_MS,
  );

const WHOLE = ['createGeneration', 'queue', 'run', 'provider simulator', 'store outputs', 'settle', 'webhook attempt'];

const traceIdsIn = (member: Member, fields: Record<string, unknown>) =>
  member.logs
    .join('')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter((line) => Object.entries(fields).every(([name, value]) => line[name] === value))
    .map((line) => line.traceId);

test('one trace shows a generation from its request through queue, run and provider to the webhook', async () => {
  const prompt = 'a private lighthouse at dusk';
  const { body } = await submit(stack.api().url, { key: account.key, prompt });
  const spans = await spansOf(body.id, WHOLE);
  const one = (name: string) => spans.find((span) => span.name === name) as SentSpan;
  const [request, run] = [one('createGeneration'), one('run')];
  expect(request).toMatchObject({ role: 'api', parentSpanId: undefined, isError: false });
  expect(request.attributes).toMatchObject({
    'http.request.method': 'POST',
    'http.response.status_code': 201,
    'atelier.account.id': account.accountId,
  });
  for (const name of ['queue', 'run', 'webhook attempt']) {
    expect(one(name), name).toMatchObject({ role: 'worker', parentSpanId: request.spanId });
  }
  for (const name of ['provider simulator', 'store outputs', 'settle']) {
    expect(one(name), name).toMatchObject({ role: 'worker', parentSpanId: run.spanId, isError: false });
  }
  expect(one('webhook attempt').attributes).toMatchObject({ 'http.response.status_code': 200, 'atelier.attempt': 1 });
  expect(traceIdsIn(stack.api(), { msg: 'request', operation: 'createGeneration' })).toContain(request.traceId);
  expect(collector.headers()).toMatchObject({ 'x-collector-key': COLLECTOR_SECRET });
  for (const secret of [prompt, account.key, 'endpoint-secret-77', '127.0.0.1', stack.env.MASTER_KEY as string]) {
    expect(collector.text()).not.toContain(secret);
  }
  expect(stack.members.flatMap(({ logs }) => logs).join('')).not.toContain(COLLECTOR_SECRET);
});

test('a generation that waits for a slot and then fails stays in the trace of its request', async () => {
  const first = await submit(stack.api().url, { key: account.key, prompt: 'sim:ok:500' });
  const second = await submit(stack.api().url, { key: account.key, prompt: 'sim:fail:internal' });
  expect(second.body.status).toBe('queued');
  const [firstSpans, spans] = [
    await spansOf(first.body.id, WHOLE),
    await spansOf(second.body.id, ['run', 'webhook attempt']),
  ];
  expect(spans[0]?.traceId).not.toBe(firstSpans[0]?.traceId);
  const failed = spans.find(({ name }) => name === 'provider simulator');
  expect(failed).toMatchObject({ isError: true, attributes: { 'error.type': 'internal' } });
  const worker = stack.members.find(({ role }) => role === 'worker') as Member;
  expect(traceIdsIn(worker, { msg: 'run failed', generationId: second.body.id })).toContain(spans[0]?.traceId);
});

test("the trace of a trusted proxy is continued; a client's own is not", async () => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  const post = (headers: Record<string, string>) =>
    call<Generation>(stack.api().url, 'POST /v1/generations', {
      key: account.key,
      headers: { 'idempotency-key': newIdempotencyKey(), traceparent: `00-${traceId}-${spanId}-00`, ...headers },
      json: { modelId: 'canvas', params: { prompt: 'sim:ok' }, maxCoins: 100 },
    });
  const direct = await post({});
  const forwarded = await post({ 'x-forwarded-for': '203.0.113.9' });
  const spans = await spansOf(forwarded.body.id, WHOLE);
  expect(spans.find(({ name }) => name === 'createGeneration')).toMatchObject({ traceId, parentSpanId: spanId });
  expect((await spansOf(direct.body.id, WHOLE))[0]?.traceId).not.toBe(traceId);
});

test('requests succeed while the collector does not answer, and the metrics show what was lost', async () => {
  const worker = stack.members.find(({ role }) => role === 'worker') as Member;
  collector.hang();
  const { body } = await submit(stack.api().url, { key: account.key });
  await until('the generation succeeds', async () => {
    const read = await call<Generation>(stack.api().url, `GET /v1/generations/${body.id}`, { key: account.key });
    return read.body.status === 'succeeded';
  });
  const lost = async (member: Member) =>
    (await readMetric(member, 'atelier_trace_spans_total')) >
    (await readMetric(member, 'atelier_trace_spans_sent_total'));
  await until('both processes lose spans', async () => (await lost(stack.api())) && (await lost(worker)));
  await until('the log says so', async () =>
    worker.logs.join('').includes('trace collector does not respond: spans are lost'),
  );
});
