// Operation 11, GET /v1/account.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  account,
  changesNothing,
  concurrency,
  expectProblem,
  fixture,
  IMAGE,
  imageBody,
  postGeneration,
  quiet,
  quote,
  run,
  submit,
  waitTerminal,
} from './kit.mjs';
import { decided, skip } from './mode.mjs';
import * as schema from './schema.mjs';

test('account: 200 response conforms', async () => {
  await account();
});
decided('account: an API key has channel api', async () => {
  assert.equal((await account()).channel, 'api'); // Decisions, channel
});
test('account: the response describes the calling key', async () => {
  const { scopes } = (await account('full')).key;
  for (const scope of schema.SCOPES) assert.ok(scopes.includes(scope), scope);
});
test('account: a key with one scope shows that scope', async () => {
  assert.deepEqual((await account('account')).key.scopes, ['account']);
});
test('account: two keys of one account share the balance and differ in id', async () => {
  await quiet();
  const [one, two] = [await account('full'), await account('full2')];
  assert.notEqual(one.key.id, two.key.id);
  assert.deepEqual(one.balance, two.balance);
});
test('account: the key keeps its id between reads', async () => {
  assert.equal((await account()).key.id, (await account()).key.id);
});
test('account: a key without a cap shows null', async () => {
  assert.equal((await account('full')).key.monthlySpendCapCoins, null); // Decisions, default cap
});
test('account: the capped key shows its cap, three times the price of the image model', async () => {
  const { coins } = await quote({ modelId: IMAGE, params: { prompt: 'sim:ok' } });
  assert.equal((await account('capped')).key.monthlySpendCapCoins, 3 * coins);
});
test('account: concurrency equals GET /v1/generations/concurrency', async () => {
  await quiet();
  assert.deepEqual((await account()).concurrency, await concurrency());
});
decided('account: the running limit of the sandbox is 4', async () => {
  assert.equal((await concurrency()).limit, 4); // Decisions, default account
});
decided('account: raisedLimit is above the limit, or null', async () => {
  const { limit, raisedLimit } = await concurrency();
  assert.ok(raisedLimit === null || raisedLimit > limit); // Decisions, raisedLimit
});
test('account: an account without coins shows available 0 and held 0', async () => {
  assert.deepEqual((({ available, held }) => [available, held])((await account('poor')).balance), [0, 0]);
});
decided('account: spentThisMonthCoins includes held and charged coins', async () => {
  // Decisions, monthly cap: spent = captured + still held
  await quiet();
  const before = (await account('full')).key.spentThisMonthCoins;
  const made = await submit(imageBody('sim:ok:1500'));
  assert.equal((await account('full')).key.spentThisMonthCoins, before + made.coinsQuoted);
  await waitTerminal(made.id);
  assert.equal((await account('full')).key.spentThisMonthCoins, before + made.coinsQuoted);
});
decided('account: spentThisMonthCoins excludes coins of undelivered outputs', async () => {
  await quiet();
  const before = (await account('full')).key.spentThisMonthCoins;
  const ended = await run(imageBody('sim:partial:1', {}, { num_outputs: 3 }));
  assert.equal((await account('full')).key.spentThisMonthCoins, before + ended.coinsCharged);
});
test('account: spentThisMonthCoins counts the calling key only', async () => {
  await quiet();
  const before = (await account('full')).key.spentThisMonthCoins;
  await run(imageBody(), { key: 'full2' });
  assert.equal((await account('full')).key.spentThisMonthCoins, before);
});
test('account: held is 0 when nothing runs', async () => {
  await quiet();
  assert.equal((await account()).balance.held, 0); // coins are held only for generations that are queued or running
});

// Decisions, per-request cap
decided('account: a key without a per-request cap shows null', async () => {
  assert.equal((await account('full')).key.requestCapCoins, null);
});
decided('account: a key shows its per-request cap, and one request above it is 409 max_coins_exceeded', async (t) => {
  if (!fixture.keys.requestCapped) return skip(t, 'the fixture has no keys.requestCapped');
  const key = 'requestCapped';
  const { coins } = await quote({ modelId: IMAGE, params: { prompt: 'sim:ok' } });
  assert.equal((await account(key)).key.requestCapCoins, 2 * coins);
  await submit(imageBody('sim:ok', {}, { num_outputs: 2 }), { key });
  await changesNothing(async () => {
    const answer = await postGeneration(imageBody('sim:ok', {}, { num_outputs: 3 }), { key });
    expectProblem(answer, 409, 'max_coins_exceeded');
  });
});
