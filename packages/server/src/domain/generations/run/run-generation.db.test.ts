import { copyFile, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { greyPixels, makePng } from '../../../media/testing/make-png.ts';
import { startMedia, type TestMedia } from '../../../media/testing/start-media.ts';
import { createLog } from '../../../platform/log.ts';
import { createDirectoryStore } from '../../../platform/object-store/directory-store.ts';
import { type ObjectStore, ObjectStoreUnavailable } from '../../../platform/object-store/object-store.ts';
import { createTelemetry } from '../../../platform/telemetry.ts';
import { NO_TRACING } from '../../../platform/tracing.ts';
import { type Provider, ProviderError, type ProviderJob } from '../../../providers/provider.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { showGeneration } from '../read/show-generation.ts';
import { COINS_PER_OUTPUT, createMoneyPath } from '../testing/create-money-path.ts';
import { createPathServices, sampleCatalog } from '../testing/create-path-services.ts';
import { TEST_LIMITS } from '../testing/test-limits.ts';
import type { ContentCheck } from './check-content.ts';
import { runGeneration } from './run-generation.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const base = createPathServices(db);
const logged = new PassThrough().setEncoding('utf8');
let logText = '';
logged.on('data', (piece: string) => {
  logText += piece;
});
const store: { fails: number; puts: number } = { fails: 0, puts: 0 };
let media: TestMedia;
let pictures: string[];
let services: Parameters<typeof runGeneration>[0];

const live = (catalog: Catalog): Catalog => ({
  ...catalog,
  models: new Map(
    [...catalog.models].map(([id, model]) => [id, { ...model, routes: [{ provider: 'made-up', settings: {} }] }]),
  ),
});

beforeAll(async () => {
  media = await startMedia();
  pictures = [8, 16].map((side) => join(media.dir, `${side}.png`));
  for (const [n, file] of pictures.entries()) {
    const size = { width: 8 * (n + 1), height: 8 };
    await writeFile(file, makePng({ ...size, pixels: greyPixels(size) }));
  }
  const directory = createDirectoryStore({ path: join(media.dir, 'bucket') });
  services = {
    ...base,
    catalog: () => live(sampleCatalog(COINS_PER_OUTPUT)),
    media: media.whole,
    store: {
      ...directory,
      async putFile(options) {
        store.puts += 1;
        if (store.fails-- > 0) throw new ObjectStoreUnavailable('down');
        return directory.putFile(options);
      },
    } satisfies ObjectStore,
    log: createLog({ level: 'info', destination: logged }),
    telemetry: createTelemetry(),
    tracing: NO_TRACING,
    limits: TEST_LIMITS,
    keyPrefix: '',
    spoolDir: join(media.dir, 'spool'),
  };
});
afterAll(() => media.stop());

/** Each output is one of the two images, or bytes that are not media. */
type Made = 0 | 1 | 'unreadable';
function providerOf(made: readonly Made[]): Provider & { asked: number } {
  const provider = {
    asked: 0,
    async submit(job: ProviderJob) {
      provider.asked += 1;
      const outputs = [];
      for (const [n, each] of made.entries()) {
        const file = join(job.workDir, `made-${n}.png`);
        if (each === 'unreadable') await writeFile(file, Buffer.from('\u0000\u0001 no picture'));
        else await copyFile(pictures[each]!, file);
        outputs.push({ path: file });
      }
      return { outputs };
    },
    poll: () => Promise.reject(new Error('never')),
  };
  return provider;
}

/** Blocks the outputs at the given positions. */
function checkOf(blocked: readonly number[] = []): ContentCheck {
  let turn = 0;
  return {
    checkPrompt: async () => null,
    async checkFiles({ stage }) {
      if (stage !== 'output') return null;
      return blocked.includes(turn++)
        ? { action: 'block', stage, category: 'sexual', score: 1, engine: 'test@1' }
        : null;
    },
  };
}

async function run(provider: Provider, options: { outputs: number; blocked?: readonly number[] }) {
  const account = await path.makeAccount({ coins: 100 });
  const id = await path.begin(account, { outputs: options.outputs, params: { prompt: 'a boat' } });
  const row = { ...(await path.take(id))!, mode: 'live' as const };
  const signal = new AbortController().signal;
  const contentCheck = checkOf(options.blocked);
  await runGeneration(services, row, {
    providers: new Map([['made-up', provider]]),
    contentCheck,
    leaseSignal: signal,
  });
  const assets = await path.read<{ position: number; sha256: Buffer }>(
    'SELECT position, sha256 FROM asset WHERE generation_id = $1 ORDER BY position',
    [id],
  );
  return { id, account, generation: await path.generationOf(id), assets };
}

test('partial results: one unreadable output of several is dropped and not charged', async () => {
  const { id, account, generation, assets } = await run(providerOf([0, 'unreadable', 1]), { outputs: 3 });
  expect(generation).toMatchObject({ status: 'succeeded', coins_charged: 2 * COINS_PER_OUTPUT });
  expect(assets.map(({ position }) => position)).toEqual([0, 1]);
  expect(await path.coinsOf(account)).toEqual({ available: 100 - 2 * COINS_PER_OUTPUT, held: 0 });
  expect((await showGeneration(services, id))?.failures).toMatchObject([{ decision: 'drop', code: 'internal' }]);
});

test('partial results: one blocked output of several is dropped and not charged', async () => {
  const { generation, assets } = await run(providerOf([0, 1]), { outputs: 2, blocked: [0] });
  expect(generation).toMatchObject({ status: 'succeeded', coins_charged: COINS_PER_OUTPUT, error_code: null });
  expect(assets).toHaveLength(1);
});

test('without any output left the generation fails and is refunded; if one was blocked, the code is content_policy', async () => {
  const unreadable = await run(providerOf(['unreadable', 'unreadable']), { outputs: 2 });
  expect(unreadable.generation).toMatchObject({ status: 'failed', error_code: 'internal', coins_charged: 0 });
  const blocked = await run(providerOf(['unreadable', 0]), { outputs: 2, blocked: [0] });
  expect(blocked.generation).toMatchObject({ status: 'failed', error_code: 'content_policy', coins_charged: 0 });
  expect(await path.coinsOf(blocked.account)).toEqual({ available: 100, held: 0 });
});

test('two outputs with equal bytes are two outputs', async () => {
  const { generation, assets } = await run(providerOf([0, 0]), { outputs: 2 });
  expect(generation).toMatchObject({ status: 'succeeded', coins_charged: 2 * COINS_PER_OUTPUT });
  expect(assets).toHaveLength(2);
  expect(assets[0]!.sha256.equals(assets[1]!.sha256)).toBe(true);
});

test('an outage of the file store loses no finished work: the provider is not called again', async () => {
  const provider = providerOf([0]);
  store.fails = 6;
  const { id, generation } = await run(provider, { outputs: 1 });
  expect(generation).toMatchObject({ status: 'succeeded', coins_charged: COINS_PER_OUTPUT });
  expect(provider.asked).toBe(1);
  const [row] = await path.read<{ left: number }>(
    'SELECT extract(epoch FROM deadline_at - started_at)::float AS left FROM generation WHERE id = $1',
    [id],
  );
  // The model's deadline is a minute; storing has 15.
  expect(row!.left).toBeGreaterThanOrEqual(15 * 60);
}, 60_000);

test('a removed spool folder is created again, for runs and for the programs that read media', async () => {
  await rm(services.spoolDir, { recursive: true, force: true });
  for (let n = 0; n < 3; n++) {
    expect((await run(providerOf([0]), { outputs: 1 })).generation).toMatchObject({ status: 'succeeded' });
  }
  expect((await readdir(services.spoolDir)).filter((name) => name.startsWith('run-'))).toEqual([]);
}, 60_000);

test('prompts never appear in the log: a failure is logged by its code, and only the operator sees its message', async () => {
  logText = '';
  const words = 'a boat called canary-4711';
  const cause = new Error(`broken while drawing ${words}`);
  const provider: Provider = {
    submit: () => Promise.reject(new ProviderError('invalid_input', `"${words}" cannot be drawn.`, { cause })),
    poll: () => Promise.reject(new Error('never')),
  };
  const { id } = await run(provider, { outputs: 1 });
  expect(logText).toContain('"msg":"run failed"');
  expect(logText).toContain('"code":"invalid_input"');
  expect(logText).not.toContain('canary-4711');
  const shown = await showGeneration(services, id);
  expect(shown).toMatchObject({ generation: { id, status: 'failed' }, failures: [{ attempt: 1, decision: 'fail' }] });
  expect(shown?.providerMessage).toContain(`"${words}" cannot be drawn.`);
  expect(shown?.providerMessage).toContain('broken while drawing');
});
