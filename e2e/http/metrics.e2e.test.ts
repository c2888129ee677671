import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { freePorts } from '../../scripts/sandbox/free-ports.ts';
import { makeAccount } from '../harness/account.ts';
import { submit, until } from '../harness/client.ts';
import { readMetric } from '../harness/read-metric.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';

let stack: Stack;
let worker: Member;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 1, workers: 0, env: { BUILD_COMMIT: 'abc123' } });
});
afterAll(() => stack?.stop());

const scrape = async (member: Member) => (await fetch(`${member.metricsUrl}/metrics`)).text();

test('metrics: queue depth and age by pool, open holds, settlement lag, webhook backlog and lag, build info', async () => {
  const account = await makeAccount(stack, { runLimit: 2 });
  for (let n = 0; n < 3; n += 1) await submit(stack.api().url, { key: account.key, prompt: 'sim:hold' });
  const text = await until('the metrics are available', async () => {
    const seen = await scrape(stack.api());
    return seen.includes('atelier_holds_open 3') && seen;
  });
  expect(text).toContain('atelier_queue_depth{pool="run-simulator",state="admitted"} 2');
  expect(text).toContain('atelier_queue_depth{pool="run-simulator",state="waiting"} 1');
  expect(text).toContain('atelier_queue_depth{pool="run-local",state="waiting"} 0');
  expect(text).toMatch(/atelier_queue_oldest_seconds\{pool="run-simulator",state="admitted"\} \d/);
  expect(text).toContain('atelier_holds_open_coins 21');
  expect(text).toContain('atelier_settlement_lag_seconds{pool="run-simulator"} 0');
  expect(text).toContain('atelier_webhook_backlog{state="due"} 0');
  expect(text).toContain('atelier_webhook_lag_seconds 0');
  expect(text).toContain('atelier_state_readable 1');
  expect(text).toMatch(/atelier_build_info\{version="\d+\.\d+\.\d+",commit="abc123",role="api",node="v24\.[\d.]+"\} 1/);
});

test('metrics: the circuit breaker of a backend that does not respond is open', async () => {
  const [port] = await freePorts(1);
  const file = join(tmpdir(), `backends-${process.pid}.yaml`);
  await writeFile(file, `backends:\n  - name: nowhere\n    provider: openai\n    url: http://127.0.0.1:${port}\n`);
  worker = await stack.start('worker', { BACKENDS_FILE: file });
  await until(
    'its circuit breaker is open',
    async () => (await readMetric(worker, 'atelier_backend_circuit_open')) > 0,
  );
  expect(await scrape(worker)).toMatch(/atelier_backend_circuit_open\{backend="nowhere"\} (1|0\.5)/);
});
