import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflatedZeros, greyPixels, makePng, pngChunk } from '@atelier/server/media/testing/make-png.ts';
import { statement } from '@atelier/server/platform/db.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { makeAccount } from '../harness/account.ts';
import { call, until } from '../harness/client.ts';
import { type FileStack, startFileStack } from './file-stack.ts';
import { makeFile, makeFolder } from './make-file.ts';
import { sendUpload } from './send-upload.ts';

const FLOOD = 48;
const SIDE_PIXELS = 8192;
const RGB_WITH_ALPHA = 6;
/** Maximum time of a small upload while another account floods the same process. */
const MAX_UPLOAD_MS = 5_000;
const MAX_OPEN_RESUMABLE = 20;
const MAX_AT_ONCE_PER_ACCOUNT = 48;
/** Ten seconds per megabyte, still above the minimum speed. */
const SLOW_BYTES_PER_SECOND = 100 * 1024;
let stack: FileStack;
let folder: Awaited<ReturnType<typeof makeFolder>>;

beforeAll(async () => {
  folder = await makeFolder();
  stack = await startFileStack({ services: inject('services'), apis: 2, workers: 0, env: { SPOOL_DIR: folder.dir } });
});
afterAll(async () => {
  await stack.stop();
  await folder.remove();
});

test('resumable upload limits hold under races over two API processes', async () => {
  const { key, accountId } = await makeAccount(stack);
  const answers = await Promise.all(
    Array.from({ length: 80 }, (_, n) =>
      call(stack.api(n % 2).url, 'POST /v1/uploads/resumable', { key, json: { bytes: 10 } }),
    ),
  );
  const counts = countBy(answers.map((answer) => answer.status));
  console.log(`80 at once: ${JSON.stringify(counts)}`);
  expect(counts).toEqual({ 201: MAX_OPEN_RESUMABLE, 429: 80 - MAX_OPEN_RESUMABLE });
  const [row] = await stack.db.query<{ open: number }>(
    statement('e2e_open_resumable', 'SELECT count(*) AS open FROM resumable_upload WHERE account_id = $1'),
    [accountId],
  );
  expect(row?.open).toBe(MAX_OPEN_RESUMABLE);
});

test('concurrent upload limits hold under races: each of two API processes accepts exactly its limit', async () => {
  const { key } = await makeAccount(stack);
  // Quick to decode and slow to send, so that all are in progress at once.
  const path = join(folder.dir, 'wordy.png');
  const words = pngChunk('tEXt', Buffer.alloc(1024 * 1024, 'x'));
  await writeFile(path, makePng({ width: 8, height: 8, pixels: greyPixels({ width: 8, height: 8 }), extra: [words] }));
  const sent = Promise.allSettled(
    Array.from({ length: 140 }, (_, n) =>
      sendUpload(stack.api(n % 2).url, { key, path, bytesPerSecond: SLOW_BYTES_PER_SECOND }),
    ),
  );
  let isOver = false;
  void sent.then(() => {
    isOver = true;
  });
  const most = [0, 0];
  while (!isOver) {
    for (const [n, count] of (await countInWork()).entries()) most[n] = Math.max(most[n] ?? 0, count);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // A rejected client can lose its connection before it reads the response.
  const statuses = (await sent).map((each) => (each.status === 'fulfilled' ? each.value.status : 429));
  console.log(`140 at once: ${JSON.stringify(countBy(statuses))}, at most ${most.join(' and ')} in work`);
  expect(most).toEqual([MAX_AT_ONCE_PER_ACCOUNT, MAX_AT_ONCE_PER_ACCOUNT]);
  expect(new Set(statuses)).toEqual(new Set([201, 429]));
}, 120_000);

/** Spool folders of uploads in progress, by process. */
async function countInWork(): Promise<number[]> {
  const spools = (await readdir(folder.dir)).filter((name) => name.startsWith('atelier-spool-'));
  return Promise.all(
    spools.map(async (spool) => {
      const names = await readdir(join(folder.dir, spool));
      return names.filter((name) => name.startsWith('upload-')).length;
    }),
  );
}

test('fairness of uploads: one account with 48 expensive images does not delay the upload of another', async () => {
  const [flooding, other] = [await makeAccount(stack), await makeAccount(stack)];
  const { url } = stack.api(0);
  const small = await makeFile(folder.dir, 'png');
  const large = join(folder.dir, 'large.png');
  // 268 MB of pixels in a quarter of a megabyte.
  const pixels = deflatedZeros((4 * SIDE_PIXELS + 1) * SIDE_PIXELS);
  await writeFile(large, makePng({ width: SIDE_PIXELS, height: SIDE_PIXELS, colourType: RGB_WITH_ALPHA, pixels }));
  const upload = async () => {
    const answer = await sendUpload(url, { key: other.key, path: small });
    expect(answer.status).toBe(201);
    return answer.durationMs;
  };
  const aloneMs = await upload();

  const statuses: number[] = [];
  for (let n = 0; n < FLOOD; n += 1) {
    // Uploads that still wait lose their connection when the stack stops.
    sendUpload(url, { key: flooding.key, path: large }).then(
      (answer) => statuses.push(answer.status),
      () => {},
    );
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const tookMs: number[] = [];
  for (let n = 0; n < 5; n += 1) tookMs.push(await upload());
  console.log(
    `alone ${Math.round(aloneMs)} ms; beside ${FLOOD} pictures of 67 Mpx ${tookMs.map(Math.round).join(', ')} ms; ` +
      `${statuses.length} of the ${FLOOD} were done by then`,
  );
  // Most were still waiting, so the small uploads overtook them.
  expect(statuses.length).toBeLessThan(FLOOD / 2);
  await until('one of the expensive images is accepted', async () => statuses.includes(201), 60_000);
  expect(Math.max(...tookMs)).toBeLessThan(MAX_UPLOAD_MS);
}, 120_000);

function countBy(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}
