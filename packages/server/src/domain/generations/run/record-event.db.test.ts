import { describe, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../../test/database.ts';
import { createMoneyPath } from '../testing/create-money-path.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

const eventsOf = (id: string) =>
  path.read<{ type: string; at_end: boolean }>(
    `SELECT e.type, e.created_at = g.completed_at AS at_end FROM event e JOIN generation g ON g.id = e.generation_id
     WHERE g.id = $1`,
    [id],
  );

/** The endpoints that get the event of a generation, each with its number of jobs. */
async function receiversOf(id: string): Promise<Record<string, number>> {
  const rows = await path.read<{ endpoint: string; jobs: number }>(
    `SELECT d.endpoint_id AS endpoint, (SELECT count(*)::int FROM pgboss.job j WHERE j.name = 'deliver-webhook'
         AND j.data = jsonb_build_object('deliveryId', d.id, 'round', 1, 'attempt', 1)) AS jobs
     FROM delivery d JOIN event e ON e.id = d.event_id WHERE e.generation_id = $1 AND d.status = 'pending'`,
    [id],
  );
  return Object.fromEntries(rows.map(({ endpoint, jobs }) => [endpoint, jobs]));
}

/** The paused endpoints with a held delivery, which no job sends. */
async function heldOf(id: string): Promise<string[]> {
  const rows = await path.read<{ endpoint: string }>(
    `SELECT d.endpoint_id AS endpoint FROM delivery d JOIN event e ON e.id = d.event_id
     WHERE e.generation_id = $1 AND d.status = 'held' AND d.next_at IS NULL
       AND NOT EXISTS (SELECT 1 FROM pgboss.job j WHERE j.name = 'deliver-webhook' AND j.data ->> 'deliveryId' = d.id::text)`,
    [id],
  );
  return rows.map(({ endpoint }) => endpoint);
}

describe('the end of a generation', () => {
  test.each(['succeeded', 'failed', 'canceled'])('as %s has one event with the time of the end', async (end) => {
    const account = await path.makeAccount();
    const id = await path.begin(account);
    expect(await eventsOf(id)).toEqual([]);
    if (end === 'canceled') await path.cancel(account, id);
    else await path.finish(id, end === 'failed' ? { error: 'internal' } : {});
    expect(await eventsOf(id)).toEqual([{ type: `generation.${end}`, at_end: true }]);
  });

  test('creates one job for each subscribed endpoint', async () => {
    const account = await path.makeAccount();
    const other = await path.makeAccount();
    const all = await path.addEndpoint(account);
    const failures = await path.addEndpoint(account, { events: ['generation.failed'] });
    const paused = await path.addEndpoint(account, { status: 'paused' });
    await path.addEndpoint(account, { status: 'deleted' });
    await path.addEndpoint(other);
    const [good, bad] = [await path.begin(account), await path.begin(account)];
    expect((await path.finish(good)).wake).toEqual(['deliver-webhook']);
    expect(await receiversOf(good)).toEqual({ [all]: 1 });
    expect(await heldOf(good)).toEqual([paused]);
    await path.finish(bad, { error: 'internal' });
    expect(await receiversOf(bad)).toEqual({ [all]: 1, [failures]: 1 });
  });

  test('reaches an endpoint bound to a key only for generations of that key', async () => {
    const account = await path.makeAccount();
    const [{ id: foreign } = { id: '' }] = await path.read<{ id: string }>(
      `INSERT INTO api_key (id, account_id, name, hash, prefix, last4, scopes)
       VALUES (gen_random_uuid(), $1, 'other', sha256(gen_random_uuid()::text::bytea), 'p', 'last', '{read}') RETURNING id`,
      [account.accountId],
    );
    const mine = await path.addEndpoint(account, { keyId: account.keyId });
    await path.addEndpoint(account, { keyId: foreign });
    const [keyed, keyless] = [await path.begin(account), await path.begin(account, { keyId: null })];
    await path.cancel(account, keyed);
    expect(await receiversOf(keyed)).toEqual({ [mine]: 1 });
    await path.cancel(account, keyless);
    expect(await receiversOf(keyless)).toEqual({});
  });

  test('without subscribers wakes nothing', async () => {
    const account = await path.makeAccount();
    await path.addEndpoint(account, { events: ['generation.failed'] });
    expect((await path.finish(await path.begin(account))).wake).toEqual([]);
  });
});
