import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { newId } from '../../../platform/ids.ts';
import { sampleModel, sampleParam } from '../../catalog/testing/sample-model.ts';
import { recordRunFailure } from '../run/record-run-failure.ts';
import { createMoneyPath, type PathSubmission } from '../testing/create-money-path.ts';
import { createPathServices } from '../testing/create-path-services.ts';
import { listModelMargins } from './list-model-margins.ts';
import { listFailureCauses, listNewestFailures, listStuckWork } from './read-failures.ts';
import { tryPrice } from './try-price.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });
const model = sampleModel({
  params: [
    sampleParam('prompt', { kind: 'text', maxLength: 100 }),
    sampleParam('resolution', { kind: 'enum', values: ['1k', '2k'] }),
    sampleParam('num_outputs', { kind: 'range', min: 1, max: 4, step: 1 }),
  ],
  defaults: { resolution: '1k' },
  price: { perOutput: 7 },
  entry: { id: 'canvas' },
});
const routed = { ...model, routes: [{ provider: 'local', settings: { engine: 'painter' } }] };
const base = createPathServices(db);
const services = {
  ...base,
  catalog: () => ({ version: 'v', models: new Map([['canvas', routed]]), effects: new Map() }),
};

/** A generation that ended. */
async function deliver(given: PathSubmission & { delivered?: number } = {}): Promise<string> {
  const account = await path.makeAccount();
  const effective = {
    params: { resolution: '1k', ...given.params },
    inputs: {},
    effectSettings: {},
    ...given.effective,
  };
  const id = await path.begin(account, { ...given, effective });
  await path.finish(id, { outputs: given.delivered ?? 1 });
  return id;
}

const ask = (price: object, options: { last?: number; costs?: Record<string, number>; mode?: 'live' | 'test' } = {}) =>
  tryPrice(services, {
    modelId: 'canvas',
    price: price as { perOutput: number },
    mode: 'test',
    last: 100,
    costs: {},
    ...options,
  });

test('the newest generations are priced again: by their params, for what was delivered, and nothing changes', async () => {
  expect(await ask({ perOutput: 8 })).toMatchObject({ generations: 0, since: null, costCoins: null });
  const [, large] = [await deliver(), await deliver({ params: { resolution: '2k' } })];
  const several = await deliver({ params: { num_outputs: 3 }, outputs: 3, delivered: 2 });
  const running = await path.makeAccount();
  await path.begin(running);
  const before = await path.read('SELECT * FROM transfer ORDER BY id');

  const price = { perOutput: 7, lines: [{ label: 'Large', coins: 5, when: { resolution: '2k' } }] };
  const tried = await ask(price);
  expect(tried).toMatchObject({
    generations: 3,
    skipped: 0,
    capturedCoins: 28,
    newCoins: 33,
    dearer: 1,
    cheaper: 0,
    unchanged: 2,
    accounts: 1,
    largest: [{ generationId: large, capturedCoins: 7, newCoins: 12 }],
  });
  expect(await ask({ perOutput: 3 })).toMatchObject({ newCoins: 12, cheaper: 3, accounts: 3 });
  expect(await ask({ perOutput: 7 }, { costs: { 'local/painter': 2.5 } })).toMatchObject({ costCoins: 10 });
  expect((await ask({ perOutput: 8 }, { last: 1 })).largest[0]?.generationId).toBe(several);
  expect(await ask({ perOutput: 8 }, { mode: 'live' })).toMatchObject({ generations: 0 });
  expect(await path.read('SELECT * FROM transfer ORDER BY id')).toEqual(before);
});

test('generations whose inputs are gone, or whose content is erased, are left out', async () => {
  const { generations } = await ask({ perOutput: 8 });
  await deliver({ effective: { params: {}, inputs: { images: [newId()] }, effectSettings: {} } });
  expect(await ask({ perOutput: 8 })).toMatchObject({ generations, skipped: 1 });
});

test('a price that does not fit the model, and an unknown model, are refused', async () => {
  await expect(ask({ perOutput: 1, lines: [{ label: 'x', coins: 1, when: { style: 'ink' } }] })).rejects.toMatchObject({
    code: 'invalid_params',
  });
  const unknown = tryPrice(services, { modelId: 'none', price: { perOutput: 1 }, mode: 'live', last: 1, costs: {} });
  await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
});

test('margins count the live accounts, by route, and need a cost of every route that delivered', async () => {
  await owner.pool.query(
    "UPDATE account SET mode = 'live' WHERE id IN (SELECT account_id FROM generation WHERE status = 'succeeded')",
  );
  const [without] = await listModelMargins(services);
  expect(without).toMatchObject({ generations: 4, capturedCoins: 35, costCoins: null, served: false, closedBy: null });
  const costs = new Map([['canvas', { 'local/painter': 2 }]]);
  const switches = { ...base.switches, current: () => ({ ...base.switches.current(), costs }) };
  const [withCosts] = await listModelMargins({ ...services, switches, offers: () => new Set(['local/painter']) });
  expect(withCosts).toMatchObject({
    costCoins: 10,
    served: true,
    routes: [{ target: 'local/painter', offered: true, costCoins: 2, outputs: 5 }],
  });
});

test("failures are counted by cause and model, with the provider's newest message", async () => {
  const account = await path.makeAccount();
  const log = { warn: () => {} } as never;
  for (const [message, decision] of [
    ['first', 'fail'],
    ['second', 'fail'],
    ['retried', 'retry'],
  ] as const) {
    const run = {
      id: await path.begin(account),
      accountId: account.accountId,
      attempt: 1,
      modelId: 'canvas',
      traceparent: null,
    };
    await recordRunFailure({ db, log }, run, { target: null, code: 'timeout', decision, error: new Error(message) });
  }
  expect(await listFailureCauses({ db })).toMatchObject({
    failed: 2,
    causes: [{ code: 'timeout', modelId: 'canvas', count: 2, message: 'Error: second' }],
  });
  const items = await listNewestFailures({ db }, {});
  expect(items.map(({ message, decision }) => [message, decision])).toEqual([
    ['Error: retried', 'retry'],
    ['Error: second', 'fail'],
    ['Error: first', 'fail'],
  ]);
  expect(await listNewestFailures({ db }, { code: 'content_policy' })).toEqual([]);
  expect(await listNewestFailures({ db }, { modelId: 'canvas' })).toHaveLength(3);
});

test('stuck are runs past their deadline, and work that no worker serves', async () => {
  const account = await path.makeAccount({ runLimit: 5 });
  const [late, unserved] = [await path.begin(account), await path.begin(account, { pool: 'run-local' })];
  await path.take(late);
  await owner.pool.query("UPDATE generation SET deadline_at = now() - interval '5 minutes' WHERE id = $1", [late]);
  const stuck = await listStuckWork(services);
  expect(stuck.filter(({ accountId }) => accountId === account.accountId)).toMatchObject([
    { generationId: late, reason: 'overdue' },
    { generationId: unserved, reason: 'no_worker' },
  ]);
  const served = await listStuckWork({ ...services, offers: () => new Set(['local/painter']) });
  expect(served.map(({ generationId }) => generationId)).not.toContain(unserved);
  await owner.pool.query('UPDATE generation SET deadline_at = now() WHERE id = $1', [late]);
});
