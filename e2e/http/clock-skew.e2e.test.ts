import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Asset } from '@atelier/contract';
import { greyPixels, makePng } from '@atelier/server/media/testing/make-png.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';
import { formOf } from './form.ts';

/** More than the validity of a quote and the deadline of a run, less than the tolerance of an object store. */
const SKEW_MS = 12 * 60_000;
let stack: Stack;

/** The environment of a process on a machine whose clock is wrong. */
async function onMachine(skewMs: number): Promise<Record<string, string>> {
  const file = join(stack.env.TMPDIR as string, `skew-${skewMs}.mjs`);
  await writeFile(
    file,
    `const RealDate = Date;
     const now = () => RealDate.now() + ${skewMs};
     globalThis.Date = class extends RealDate {
       constructor(...given) { given.length === 0 ? super(now()) : super(...given); }
       static now() { return now(); }
     };`,
  );
  return { NODE_OPTIONS: `--import ${pathToFileURL(file)}` };
}

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), apis: 0, workers: 0 });
});
afterAll(() => stack?.stop());

const readDetails = async (member: Member) => (await call(member.metricsUrl, 'GET /readyz')).body.details;

test('time: links, deadlines and quotes of processes with different clocks agree, and readiness shows the skew', async () => {
  const ahead = await stack.start('api', await onMachine(SKEW_MS));
  const behind = await stack.start('cdn', await onMachine(-SKEW_MS));
  const worker = await stack.start('worker', await onMachine(SKEW_MS));
  const account = await makeAccount(stack);

  // Links are valid for an hour of database time.
  const size = { width: 8, height: 8 };
  const bytes = makePng({ ...size, pixels: greyPixels(size) });
  const upload = await call<Asset>(ahead.url, 'POST /v1/uploads', { key: account.key, ...formOf(bytes) });
  const expiresAtSeconds = Number(/[?&]e=(\d+)/.exec(upload.body.url)?.[1]);
  expect(Math.abs(expiresAtSeconds - Date.now() / 1000 - 3_600)).toBeLessThan(60);
  expect((await call('', `GET ${upload.body.url}`)).status).toBe(200);

  const quote = await call(ahead.url, 'POST /v1/quotes', {
    key: account.key,
    json: { modelId: 'canvas', params: { prompt: 'sim:ok' } },
  });
  expect(Math.abs(Date.parse(quote.body.expiresAt) - Date.now() - 600_000)).toBeLessThan(30_000);

  // A worker that used its own clock would end the run immediately.
  const { body } = await submit(ahead.url, { key: account.key });
  const ended = await until('the generation has ended', async () => {
    const answer = await call(ahead.url, `GET /v1/generations/${body.id}`, { key: account.key });
    return answer.body.completedAt !== null && answer.body;
  });
  expect(ended.status).toBe('succeeded');

  for (const member of [ahead, worker]) {
    expect((await readDetails(member)).clock).toMatch(
      /^the clock of this machine is \d+ s ahead of the database clock$/,
    );
  }
  const told = Number(/\d+/.exec((await readDetails(behind)).clock)?.[0]);
  expect(Math.abs(told - SKEW_MS / 1000)).toBeLessThan(5);
});
