import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { withStatementTx, withTx } from '../platform/db.ts';
import { createBoss } from './create-boss.ts';
import { enqueue } from './enqueue.ts';
import { queues, RUN_POOLS } from './queues.ts';

const { db, owner } = await openTestDatabase();
const boss = createBoss({ pool: db.pool, supervise: false, onError: () => {} });
await boss.start();
afterAll(() => boss.stop({ graceful: false }));

interface JobRow extends Record<string, unknown> {
  readonly created_on: Date;
  readonly start_after: Date;
  readonly keep_until: Date;
}

const jobOf = async (id: string) =>
  (await owner.pool.query<JobRow>('SELECT * FROM pgboss.job WHERE id = $1', [id])).rows[0];

describe('a job', () => {
  test('exists if and only if its transaction committed', async () => {
    const [kept, lost] = [randomUUID(), randomUUID()];
    const job = (id: string) => ({ queue: 'run-simulator' as const, payload: { generationId: id }, id });
    await withTx(db, (tx) => enqueue(tx, job(kept)));
    const failing = withTx(db, async (tx) => {
      await enqueue(tx, job(lost));
      throw new Error('rolled back');
    });
    await expect(failing).rejects.toThrow('rolled back');
    expect(await jobOf(kept)).toMatchObject({ name: 'run-simulator', state: 'created', data: { generationId: kept } });
    expect(await jobOf(lost)).toBeUndefined();
  });

  test('with an existing id is not added again', async () => {
    const id = randomUUID();
    const send = (generationId: string) =>
      withTx(db, (tx) => enqueue(tx, { queue: 'run-simulator', payload: { generationId }, id }));
    await send('first');
    await send('second');
    expect(await jobOf(id)).toMatchObject({ data: { generationId: 'first' } });
  });

  test('waits for its delay', async () => {
    const id = randomUUID();
    await withTx(db, (tx) =>
      enqueue(tx, { queue: 'run-local', payload: { generationId: id }, id, delaySeconds: 3600 }),
    );
    expect(await boss.fetch('run-local')).toEqual([]);
    const job = await jobOf(id);
    expect(job!.start_after.getTime() - job!.created_on.getTime()).toBe(3_600_000);
  });

  test.each([...RUN_POOLS, 'deliver-webhook'] as const)(
    'of %s is as one that the queue makes itself',
    async (queue) => {
      const id = randomUUID();
      await withTx(db, (tx) => enqueue(tx, { queue, payload: { generationId: id } as never, id }));
      const sent = await boss.send(queue, { generationId: id });
      const [ours, theirs] = [await jobOf(id), await jobOf(sent as string)];
      const own = ['id', 'created_on', 'start_after', 'keep_until'];
      const pick = (job: typeof ours) =>
        Object.fromEntries(Object.entries(job ?? {}).filter(([name]) => !own.includes(name)));
      expect(pick(ours)).toEqual(pick(theirs));
      const keptMs = (job: typeof ours) => job!.keep_until.getTime() - job!.start_after.getTime();
      expect(keptMs(ours)).toBe(keptMs(theirs));
      expect(ours).toMatchObject({
        retry_limit: queues[queue].retryLimit,
        expire_seconds: queues[queue].expireSeconds,
      });
    },
  );

  test('for an unknown queue is refused', async () => {
    const id = randomUUID();
    await withTx(db, (tx) => enqueue(tx, { queue: 'nowhere' as never, payload: {} as never, id }));
    expect(await jobOf(id)).toBeUndefined();
  });
});

test('a statement transaction allows one statement and refuses a second', async () => {
  const [first, second] = [randomUUID(), randomUUID()];
  const twice = withStatementTx(db, async (tx) => {
    await enqueue(tx, { queue: 'run-remote', payload: { generationId: first }, id: first });
    await enqueue(tx, { queue: 'run-remote', payload: { generationId: second }, id: second });
  });
  await expect(twice).rejects.toThrow('a statement transaction allows one statement');
  expect(await jobOf(second)).toBeUndefined();
});
