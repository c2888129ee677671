import { readFile } from 'node:fs/promises';
import { Atelier } from '@atelier/sdk';
import { statement } from '@atelier/server/platform/db.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { makeFolder, makeVideo } from '../files/make-file.ts';
import { makeAccount } from '../harness/account.ts';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { type LossyProxy, startLossyProxy } from './lossy-proxy.ts';

const CREATES = sized({ ci: 150, full: 1_000 });
const AT_ONCE = 24;
const SEED = 20_261_116;
const PRICE = 7;
/** Long enough for a busy machine; a stalled response costs this much. */
const TIMEOUT_MS = 8_000;

let stack: Stack;
let proxy: LossyProxy;

beforeAll(async () => {
  stack = await startStack({ services: inject('services'), workers: 0 });
  proxy = await startLossyProxy(stack.api().url, createSeededRandom(SEED));
});
afterAll(async () => {
  await proxy?.close();
  await stack?.stop();
});

test('creates through a proxy that loses, breaks, refuses, delays and repeats make one generation and hold each', {
  timeout: 600_000,
}, async () => {
  const account = await makeAccount(stack);
  let responses = 0;
  const client = new Atelier({
    baseUrl: proxy.url,
    apiKey: account.key,
    timeoutMs: TIMEOUT_MS,
    maxRetries: 20,
    onResponse: () => {
      responses += 1;
    },
  });
  const startedAtMs = Date.now();
  const ids: string[] = [];
  let next = 0;
  const work = async () => {
    while (next < CREATES) {
      next += 1;
      const params = { prompt: `picture ${next}` };
      ids.push((await client.generations.create({ modelId: 'canvas', params, maxCoins: PRICE })).id);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const seconds = (Date.now() - startedAtMs) / 1000;

  const [count] = await stack.db.query<{ generations: number; holds: number; held: number }>(
    statement(
      'e2e_sdk_holds',
      `SELECT (SELECT count(*) FROM generation WHERE account_id = $1)::int AS generations,
              (SELECT count(*) FROM hold WHERE account_id = $1)::int AS holds,
              (SELECT coalesce(sum(amount), 0) FROM hold WHERE account_id = $1)::int AS held`,
    ),
    [account.accountId],
  );
  console.log(
    `${CREATES} creates in ${seconds.toFixed(1)} s, ${responses} responses seen by the client`,
    JSON.stringify({ ...count, ...proxy.seen }, null, 2),
  );
  expect(new Set(ids).size).toBe(CREATES);
  expect(count).toEqual({ generations: CREATES, holds: CREATES, held: CREATES * PRICE });
  for (const [fault, times] of Object.entries(proxy.seen)) expect([fault, times > 0]).toEqual([fault, true]);
  const { balance } = await client.account.get();
  expect(balance.held).toBe(CREATES * PRICE);
  await stack.assertBooks();
});

test('a large file arrives whole through the same proxy, in chunks', { timeout: 300_000 }, async () => {
  const account = await makeAccount(stack);
  const folder = await makeFolder();
  try {
    const video = await readFile(await makeVideo(folder.dir, 40));
    const client = new Atelier({ baseUrl: proxy.url, apiKey: account.key, timeoutMs: 30_000, maxRetries: 20 });
    const sent: number[] = [];
    const asset = await client.uploads.create(new Blob([video]), {
      onProgress: ({ sentBytes, totalBytes }) => {
        expect(totalBytes).toBe(video.length);
        sent.push(sentBytes);
      },
    });
    expect(asset).toMatchObject({ kind: 'video', mimeType: 'video/mp4', width: 320, height: 240 });
    expect(sent[0]).toBe(0);
    expect(sent.at(-1)).toBe(video.length);
    expect(sent.length).toBeGreaterThan(4);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
  } finally {
    await folder.remove();
  }
});
