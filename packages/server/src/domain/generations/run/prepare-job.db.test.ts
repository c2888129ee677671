import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { CreateGenerationBody, ParamValues } from '@atelier/contract';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { createSimulator } from '../../../providers/simulator/create-simulator.ts';
import type { Catalog, CatalogModel } from '../../catalog/catalog.ts';
import { sampleParam } from '../../catalog/testing/sample-model.ts';
import { createGeneration } from '../submit/create-generation.ts';
import { createMoneyPath } from '../testing/create-money-path.ts';
import { callerOf, createPathServices, sampleCatalog } from '../testing/create-path-services.ts';
import { prepareJob } from './prepare-job.ts';
import type { RunRow } from './runs.store.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const providers = new Map([['simulator', createSimulator({ ffmpegPath: 'ffmpeg' })]]);

/** The day-one catalog with other defaults for its model `canvas`, and other params if given. */
function catalogWith(defaults: ParamValues, change: (model: CatalogModel) => CatalogModel = (model) => model): Catalog {
  const catalog = sampleCatalog(7);
  const model = catalog.models.get('canvas')!;
  const changed = change({ ...model, entry: { ...model.entry, defaults } });
  return { ...catalog, models: new Map([...catalog.models, ['canvas', changed]]) };
}

async function submitAndTake(services: ReturnType<typeof createPathServices>, body: Partial<CreateGenerationBody>) {
  const account = await path.makeAccount();
  const { generation } = await createGeneration(services, callerOf(account), {
    body: { modelId: 'canvas', params: { prompt: 'sim:ok' }, maxCoins: 100, ...body },
    decode: (given) => given as CreateGenerationBody,
    idempotencyKey: randomUUID(),
  });
  const run = (await path.take(generation.id)) as RunRow;
  return { generation, run };
}

const prepare = (services: object, run: RunRow) =>
  prepareJob(services as Parameters<typeof prepareJob>[0], run, {
    providers,
    workDir: tmpdir(),
    signal: new AbortController().signal,
    target: null,
    failed: [],
  });

test('params as agreed: a run uses the defaults at the time of its submit, not those of the current catalog', async () => {
  const services = createPathServices(db);
  const before = { ...services, catalog: () => catalogWith({ num_outputs: 1, negative_prompt: 'blur' }) };
  const { generation, run } = await submitAndTake(before, {});
  const after = {
    ...services,
    // The default changes, and the submitted prompt would no longer be valid.
    catalog: () =>
      catalogWith({ num_outputs: 4, negative_prompt: 'noise' }, (model) => ({
        ...model,
        entry: { ...model.entry, params: [sampleParam('text', { kind: 'text', maxLength: 10 })] },
      })),
  };
  const { job } = await prepare(after, run);
  expect(job.params).toEqual({ prompt: 'sim:ok', num_outputs: 1, negative_prompt: 'blur' });
  expect(generation.params, 'what the client sent is what it reads').toEqual({ prompt: 'sim:ok' });
  await path.settle(run);
});

test('params as agreed: an effect keeps its settings from the submit, even if it was removed since', async () => {
  const services = createPathServices(db);
  const withEffect = (settings: Record<string, unknown>): Catalog => {
    const catalog = sampleCatalog(7);
    const sketch = catalog.effects.get('sketch')!;
    return { ...catalog, effects: new Map([['sketch', { ...sketch, prompt: 'in pencil', settings }]]) };
  };
  const account = await path.makeAccount();
  const assetId = randomUUID();
  await owner.pool.query(
    `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, width, height, object_key, variants)
     VALUES ($1, $2, 'upload', 'image', 'image/png', 1, sha256('x'), 8, 8, $3, '{}')`,
    [assetId, account.accountId, `uploads/${assetId}`],
  );
  const body = { modelId: 'painter', effectId: 'sketch', params: { images: [assetId] }, maxCoins: 7 };
  const { generation } = await createGeneration(
    { ...services, catalog: () => withEffect({ strength: 3 }) },
    callerOf(account),
    { body, decode: () => body, idempotencyKey: randomUUID() },
  );
  const run = (await path.take(generation.id)) as RunRow;
  expect(run.effective?.inputs).toEqual({ images: [assetId] });
  const { job } = await prepare({ ...services, catalog: () => ({ ...sampleCatalog(7), effects: new Map() }) }, run);
  expect(job.effectSettings).toEqual({ prompt: 'in pencil', strength: 3 });
  await path.settle(run);
});

test('a generation without stored effective params runs with the defaults of the catalog', async () => {
  const services = { ...createPathServices(db), catalog: () => catalogWith({ num_outputs: 2 }) };
  const { run } = await submitAndTake(services, {});
  const { job } = await prepare(services, { ...run, effective: null });
  expect(job.params).toEqual({ prompt: 'sim:ok', num_outputs: 2 });
  await path.settle(run, { outputs: 2 });
});
