import { type GenerationStatus, STATUSES } from '@atelier/contract';
import { expect, test } from 'vitest';
import { holdTransaction, openTestDatabase } from '../../../../../test/database.ts';
import { isTerminal, transitions } from './generation-states.ts';
import { createMoneyPath } from './testing/create-money-path.ts';

const { db, owner } = await openTestDatabase();
const path = createMoneyPath({ db, owner });

const pairs = STATUSES.flatMap((from) => STATUSES.map((to) => [from, to] as const));

/** The other columns that a row of each status needs. */
const COLUMNS: { readonly [K in GenerationStatus]: string } = {
  queued: `completed_at = NULL, coins_charged = NULL, error_code = NULL, admitted = true`,
  processing: `completed_at = NULL, coins_charged = NULL, error_code = NULL, admitted = true`,
  succeeded: `completed_at = now(), coins_charged = 7, error_code = NULL`,
  failed: `completed_at = now(), coins_charged = 0, error_code = 'internal'`,
  canceled: `completed_at = now(), coins_charged = 0, error_code = NULL`,
};

/** Whether the database allows this change of status. The transaction is rolled back. */
async function isAllowed(from: GenerationStatus, to: GenerationStatus): Promise<boolean> {
  const account = await path.makeAccount();
  const id = await path.begin(account);
  const change = holdTransaction(owner, async (client) => {
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(`UPDATE generation SET status = '${from}', ${COLUMNS[from]} WHERE id = $1`, [id]);
    await client.query('SET LOCAL session_replication_role = origin');
    await client.query(`UPDATE generation SET status = '${to}', ${COLUMNS[to]} WHERE id = $1`, [id]);
  });
  try {
    await change;
    return true;
  } catch (error) {
    expect((error as Error).message).toBe(`a generation cannot go from ${from} to ${to}`);
    return false;
  }
}

test.each(pairs)('%s to %s is allowed or refused according to the table', async (from, to) => {
  // A live row may be updated without a change of status; an ended one never changes.
  const expected = from === to ? !isTerminal(from) : transitions[from].includes(to);
  expect(await isAllowed(from, to)).toBe(expected);
});

test('an ended generation cannot change in any column', async () => {
  const account = await path.makeAccount();
  const id = await path.begin(account);
  await path.finish(id);
  for (const change of ['progress = 0.5', 'coins_charged = 0', "worker = 'late'", 'outputs_requested = 2']) {
    await expect(owner.pool.query(`UPDATE generation SET ${change} WHERE id = $1`, [id])).rejects.toMatchObject({
      code: '23514',
    });
  }
});

test("the customer's texts can be removed from an ended generation, and nothing else can change", async () => {
  const account = await path.makeAccount();
  const id = await path.begin(account);
  await path.finish(id);
  const erase = (more: string) =>
    owner.pool.query(
      `UPDATE generation SET erased_at = now(), params = '{}', effect_text = NULL${more} WHERE id = $1`,
      [id],
    );
  for (const more of [', coins_charged = 0', ", status = 'failed'", ', completed_at = now()', ', coins_quoted = 14']) {
    await expect(erase(more)).rejects.toMatchObject({ code: '23514' });
  }
  expect((await erase('')).rowCount).toBe(1);
  expect(await path.generationOf(id)).toMatchObject({ status: 'succeeded', coins_charged: 7 });
});

test.each([
  ['a success without its charge', `status = 'succeeded', completed_at = now()`],
  ['a failure without its reason', `status = 'failed', completed_at = now(), coins_charged = 0`],
  ['a failure that costs', `status = 'failed', completed_at = now(), coins_charged = 7, error_code = 'internal'`],
  ['a charge above the quote', `status = 'succeeded', completed_at = now(), coins_charged = 8`],
  ['an end without its time', `status = 'succeeded', coins_charged = 7`],
  ['a run without a slot', `admitted = false`],
])('%s is refused', async (_name, change) => {
  const account = await path.makeAccount();
  const id = await path.begin(account);
  await path.take(id);
  await expect(owner.pool.query(`UPDATE generation SET ${change} WHERE id = $1`, [id])).rejects.toMatchObject({
    code: '23514',
  });
});
