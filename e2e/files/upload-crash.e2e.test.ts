import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { until } from '../harness/client.ts';
import type { Member } from '../harness/start-stack.ts';
import { enqueueNow, type FileStack, startFileStack } from './file-stack.ts';
import { makeFile, makeFolder, makeVideo } from './make-file.ts';
import { sendUpload } from './send-upload.ts';

let stack: FileStack;
let account: TestAccount;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let spools: Awaited<ReturnType<typeof makeFolder>>;
let png: string;
let video: string;

beforeAll(async () => {
  folder = await makeFolder();
  spools = await makeFolder();
  stack = await startFileStack({
    services: inject('services'),
    apis: 0,
    workers: 0,
    env: { SPOOL_DIR: spools.dir, ALLOW_FAULTS: 'true' },
  });
  account = await makeAccount(stack);
  png = await makeFile(folder.dir, 'png');
  video = await makeVideo(folder.dir, 4);
});
afterAll(async () => {
  await stack.stop();
  await folder.remove();
  await spools.remove();
});

const KILLED_AT = {
  'upload.mid-stream': { rows: 0, objects: 0 },
  'upload.after-spool': { rows: 0, objects: 0 },
  'upload.after-probe': { rows: 0, objects: 0 },
  'upload.after-put-before-row': { rows: 0, objects: 2 },
  'upload.after-row': { rows: 1, objects: 2 },
} as const;
const POINTS = Object.keys(KILLED_AT);

test.each(Object.entries(KILLED_AT))(
  'killed at %s: no row without object, no object without row',
  async (point, left) => {
    const before = { rows: await stack.countAssets(), objects: (await stack.bucket.keys()).length };
    const api = await stack.start('api', { FAULT: `${point}:kill` });
    await expect(sendUpload(api.url, { key: account.key, path: png })).rejects.toThrow();
    expect((await api.gone()).signal).toBe('SIGKILL');
    expect(await stack.countAssets()).toBe(before.rows + left.rows);
    expect((await stack.bucket.keys()).length).toBe(before.objects + left.objects);
    expect((await stack.verifyFiles()).O1).toEqual([]);

    await stack.sweep();
    expect(await stack.verifyFiles()).toEqual({ O1: [], O2: [], O3: [] });
    expect((await stack.bucket.keys()).length).toBe(before.objects + (left.rows > 0 ? left.objects : 0));
  },
);

describe('a process that keeps running', () => {
  let api: Member;
  beforeAll(async () => {
    api = await stack.start('api', { FAULT: POINTS.map((point) => `${point}:throw`).join(',') });
  });

  test('its start removed the spool files of killed processes', async () => {
    const left = await readdir(spools.dir);
    expect(left).toHaveLength(1);
    expect(left[0]).toContain(`-${api.pid}-`);
  });

  test('an error at any of these points returns 500 and leaves nothing that a kill does not', async () => {
    // Each fault occurs once, so each upload gets one point further.
    for (const _point of POINTS) {
      const failed = await sendUpload(api.url, { key: account.key, path: png });
      expect(failed).toMatchObject({ status: 500, body: { code: 'internal' } });
      expect((await stack.verifyFiles()).O1).toEqual([]);
    }
    expect(await sendUpload(api.url, { key: account.key, path: png })).toMatchObject({ status: 201 });
    await stack.sweep();
    expect(await stack.verifyFiles()).toEqual({ O1: [], O2: [], O3: [] });
    for (const point of POINTS) expect(api.logs.join('')).toContain(`fault at ${point}`);
  });

  test('a client that disconnects at any byte leaves no row, object or spooled file', async () => {
    const rows = await stack.countAssets();
    const keys = await stack.bucket.keys();
    const logged = api.logs.length;
    const places = [0, 1, 64 * 1024, 128 * 1024, 1_000_000, 2_000_000, 3_000_000, 3_900_000];
    const sent = await Promise.allSettled(
      places.map((abortAfterBytes) => sendUpload(api.url, { key: account.key, path: video, abortAfterBytes })),
    );
    expect(sent.map((each) => each.status)).toEqual(places.map(() => 'rejected'));
    await until('the spool is empty', async () => (await inWork()).length === 0);
    expect(await stack.countAssets()).toBe(rows);
    expect(await stack.bucket.keys()).toEqual(keys);
    expect(api.logs.slice(logged).join('')).not.toContain('request failed');
  });

  test('a worker killed between row and objects leaves orphans, which the next sweep deletes', async () => {
    const { body } = await sendUpload(api.url, { key: account.key, path: png });
    await stack.expire([body.id]);
    const worker = await stack.start('worker', { FAULT: 'sweep.mid-delete:kill' });
    await enqueueNow(stack, 'sweep-files');
    expect((await worker.gone()).signal).toBe('SIGKILL');
    const checks = await stack.verifyFiles();
    expect(checks.O1).toEqual([]);
    expect(checks.O2).toHaveLength(2);
    expect(await stack.sweep()).toEqual({ expired: 0, orphans: 2, refused: [] });
    expect(await stack.verifyFiles()).toEqual({ O1: [], O2: [], O3: [] });
  });
});

/** Spool folders of uploads in progress, over all processes. */
async function inWork(): Promise<string[]> {
  const found: string[] = [];
  for (const spool of await readdir(spools.dir)) {
    found.push(...(await readdir(`${spools.dir}/${spool}`)).filter((name) => name.startsWith('upload-')));
  }
  return found;
}
