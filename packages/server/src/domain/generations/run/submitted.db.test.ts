import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { createMoneyPath } from '../testing/create-money-path.ts';
import { saveSubmitted } from './runs.store.ts';

const database = await openTestDatabase();
const { db } = database;
const path = createMoneyPath(database);

const TARGET = 'comfyui/studio';

async function takeOne() {
  const id = await path.begin(await path.makeAccount());
  return (await path.take(id))!;
}

async function readPacked(id: string): Promise<string | null> {
  const { rows } = await db.pool.query<{ packed: string | null }>(
    'SELECT provider_handle AS packed FROM generation WHERE id = $1',
    [id],
  );
  return rows[0]?.packed ?? null;
}

test('the next worker gets the target and the handle; the previous worker can no longer save others', async () => {
  const first = await takeOne();
  expect(first).toMatchObject({ submittedTarget: null, submittedHandle: null });
  expect(await saveSubmitted(db, { ...first, target: TARGET, handle: 'prompt 1' })).toBe(true);
  const second = (await path.take(first.id))!;
  expect(second).toMatchObject({ submittedTarget: TARGET, submittedHandle: 'prompt 1' });
  expect(await saveSubmitted(db, { ...first, target: TARGET, handle: 'prompt 2' })).toBe(false);
  await path.settle(second);
});

test('a worker of the previous version reads and writes both as one text', async () => {
  const run = await takeOne();
  await saveSubmitted(db, { ...run, target: TARGET, handle: 'prompt 1' });
  expect(await readPacked(run.id)).toBe(`${TARGET} prompt 1`);
  await db.pool.query('UPDATE generation SET provider_handle = $2 WHERE id = $1', [
    run.id,
    'cog/main of an old worker',
  ]);
  const next = (await path.take(run.id))!;
  expect(next).toMatchObject({ submittedTarget: 'cog/main', submittedHandle: 'of an old worker' });
  await db.pool.query('UPDATE generation SET provider_handle = NULL WHERE id = $1', [run.id]);
  const last = (await path.take(run.id))!;
  expect(last).toMatchObject({ submittedTarget: null, submittedHandle: null });
  await path.settle(last);
});
