// Operation 4, POST /v1/generations: acceptance, idempotency, price guards, params, coins.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  account,
  cancel,
  changesNothing,
  expectIssue,
  expectOk,
  expectProblem,
  fillSlots,
  getGeneration,
  IMAGE,
  imageBody,
  model,
  newKey,
  PLENTY,
  postGeneration,
  quiet,
  quote,
  submit,
  waitTerminal,
} from './kit.mjs';
import { decided, decision, either, SPEC_ONLY } from './mode.mjs';
import * as schema from './schema.mjs';

// ---- acceptance
test('submit: a new key is 201 with a queued Generation', async () => {
  // Rules 1; States: (none) -> queued
  const made = await submit(imageBody('sim:ok', {}, { num_outputs: 2 }));
  assert.match(made.id, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/); // the path parameter is a uuid
  assert.equal(made.status, 'queued');
  assert.equal(made.modelId, IMAGE);
  assert.equal(made.outputsRequested, 2);
  assert.deepEqual(
    [made.outputs, made.error, made.startedAt, made.completedAt, made.effect],
    [[], null, null, null, null],
  );
  decision(() => assert.equal(made.coinsCharged, null));
});
test('submit: the Generation describes its model as the catalog does', async () => {
  const [made, entry] = [await submit(), await model(IMAGE)];
  assert.deepEqual([made.taskType, made.modality, made.workspace], [entry.taskType, entry.modality, entry.workspace]);
});
test('submit: the params are returned as sent', async () => {
  const made = await submit(imageBody('sim:ok', {}, { num_outputs: 2 }));
  assert.equal(made.params.prompt, 'sim:ok');
  assert.equal(made.params.num_outputs, 2);
});
test('submit: createdAt is now', async () => {
  const answer = await postGeneration(imageBody());
  const now = answer.headers.get('date') ? Date.parse(answer.headers.get('date')) : Date.now();
  assert.ok(Math.abs(Date.parse(answer.body.createdAt) - now) < 10_000);
});
test('submit: the generation can be read immediately', async () => {
  const made = await submit();
  assert.equal((await getGeneration(made.id)).id, made.id);
});

// ---- Idempotency-Key
test('submit: a repeated key with the same body is 200 with the original', async () => {
  const [idempotencyKey, json] = [newKey(), imageBody()];
  const made = await submit(json, { idempotencyKey });
  assert.equal(expectOk(await postGeneration(json, { idempotencyKey }), 200, schema.generation).id, made.id); // Rules 2
});
decided('submit: a body with reordered keys and different whitespace is the same body', async () => {
  const idempotencyKey = newKey();
  const made = await submit(
    { modelId: IMAGE, params: { prompt: 'sim:ok', num_outputs: 2 }, maxCoins: PLENTY },
    { idempotencyKey },
  );
  const reordered = `{\n  "maxCoins": ${PLENTY},\n  "params": { "num_outputs": 2,  "prompt": "sim:ok" },\n  "modelId": ${JSON.stringify(IMAGE)}\n}`;
  assert.equal(expectOk(await postGeneration(reordered, { idempotencyKey }), 200, schema.generation).id, made.id); // Decisions, "same body"
});
test('submit: a repeat is not charged again', async () => {
  await quiet();
  const [{ balance }, { coins }, idempotencyKey] = [
    await account(),
    await quote({ modelId: IMAGE, params: { prompt: 'sim:ok' } }),
    newKey(),
  ];
  await submit(imageBody(), { idempotencyKey });
  for (let n = 0; n < 3; n += 1)
    expectOk(await postGeneration(imageBody(), { idempotencyKey }), 200, schema.generation);
  assert.equal((await account()).balance.available, balance.available - coins); // Rules 2: no second charge
});
test('submit: a repeat after the generation has finished returns the original', async () => {
  const idempotencyKey = newKey();
  const made = await submit(imageBody(), { idempotencyKey });
  await waitTerminal(made.id);
  const again = expectOk(await postGeneration(imageBody(), { idempotencyKey }), 200, schema.generation);
  assert.equal(again.id, made.id); // Decisions, life of an idempotency key
  assert.equal(again.createdAt, made.createdAt);
});
for (const [title, change] of [
  ['another prompt', (json) => ({ ...json, params: { ...json.params, prompt: 'sim:ok:1' } })],
  ['one param more', (json) => ({ ...json, params: { ...json.params, num_outputs: 2 } })],
  ['another maxCoins', (json) => ({ ...json, maxCoins: PLENTY - 1 })],
  ['a projectId', (json) => ({ ...json, projectId: 'p' })],
]) {
  test(`submit: a repeated key with ${title} is 409 idempotency_conflict`, async () => {
    const idempotencyKey = newKey();
    await submit(imageBody(), { idempotencyKey });
    expectProblem(await postGeneration(change(imageBody()), { idempotencyKey }), 409, 'idempotency_conflict'); // Rules 3
  });
}
test('submit: a conflict changes nothing', async () => {
  const idempotencyKey = newKey();
  await submit(imageBody(), { idempotencyKey });
  await changesNothing(async () =>
    expectProblem(await postGeneration(imageBody('other'), { idempotencyKey }), 409, 'idempotency_conflict'),
  );
});
test('submit: the key is scoped to the account: another key of the account repeats it', async () => {
  const idempotencyKey = newKey();
  const made = await submit(imageBody(), { idempotencyKey, key: 'full' });
  assert.equal(
    expectOk(await postGeneration(imageBody(), { idempotencyKey, key: 'full2' }), 200, schema.generation).id,
    made.id,
  );
});
test('submit: the key is scoped to the account: another account can use it', async () => {
  const idempotencyKey = newKey();
  const made = await submit(imageBody(), { idempotencyKey, key: 'full' });
  const other = await submit(imageBody(), { idempotencyKey, key: 'other' });
  assert.notEqual(other.id, made.id);
  await cancel(other.id, 'other');
});
test('submit: a missing Idempotency-Key is 400 idempotency_key_required', async () => {
  await changesNothing(async () =>
    expectProblem(await postGeneration(imageBody(), { idempotencyKey: null }), 400, 'idempotency_key_required'),
  ); // Rules 4
});
decided('submit: an empty Idempotency-Key is 400 idempotency_key_required', async () => {
  expectProblem(await postGeneration(imageBody(), { idempotencyKey: '' }), 400, 'idempotency_key_required'); // Decisions
});
for (const [title, idempotencyKey] of [
  ['15 characters', 'a'.repeat(15)],
  ['129 characters', 'a'.repeat(129)],
  ['a space', 'abcdefgh ijklmnopq'],
  ['a dot', 'abcdefgh.ijklmnopq'],
  ['a slash', 'abcdefgh/ijklmnopq'],
]) {
  test(`submit: an Idempotency-Key with ${title} is 400 invalid_params`, async () => {
    expectProblem(await postGeneration(imageBody(), { idempotencyKey }), 400, either('invalid_params', undefined)); // Decisions, malformed Idempotency-Key
  });
}
for (const length of [16, 128]) {
  test(`submit: an Idempotency-Key of ${length} characters is accepted`, async () => {
    await submit(imageBody(), { idempotencyKey: (newKey() + 'A-Z_a-z09'.repeat(20)).slice(0, length) });
  });
}

// ---- price guards
decided('submit: neither quoteToken nor maxCoins is 400 invalid_params with both paths', async () => {
  await changesNothing(async () => {
    const body = expectProblem(
      await postGeneration({ modelId: IMAGE, params: { prompt: 'sim:ok' } }),
      400,
      'invalid_params',
    );
    expectIssue(body, 'quoteToken');
    expectIssue(body, 'maxCoins');
  });
});
decided('submit: both quoteToken and maxCoins is 400 invalid_params with both paths', async () => {
  const { quoteToken } = await quote({ modelId: IMAGE, params: { prompt: 'sim:ok' } });
  await changesNothing(async () => {
    const body = expectProblem(await postGeneration(imageBody('sim:ok', { quoteToken })), 400, 'invalid_params');
    expectIssue(body, 'quoteToken');
    expectIssue(body, 'maxCoins');
  });
});
decided('submit: a refusal for both guards does not consume the idempotency key', async () => {
  const idempotencyKey = newKey();
  const { quoteToken } = await quote({ modelId: IMAGE, params: { prompt: 'sim:ok' } });
  expectProblem(await postGeneration(imageBody('sim:ok', { quoteToken }), { idempotencyKey }), 400, 'invalid_params');
  await submit(imageBody(), { idempotencyKey });
});
for (const [title, maxCoins] of [
  ['zero', 0],
  ['negative', -1],
  ['a fraction', 1.5],
  ['a string', '5'],
  ['null', null],
  ['true', true],
]) {
  test(`submit: maxCoins that is ${title} is 400 invalid_params`, async () => {
    expectProblem(await postGeneration(imageBody('sim:ok', { maxCoins })), 400, 'invalid_params'); // Operation 4: integer > 0
  });
}
test('submit: an empty quoteToken is refused', async () => {
  expectProblem(await postGeneration({ modelId: IMAGE, params: { prompt: 'sim:ok' }, quoteToken: '' }), 400, [
    'invalid_params',
    'invalid_quote',
  ]); // min 1
});
test('submit: maxCoins equal to the price is accepted', async () => {
  const { coins } = await quote({ modelId: IMAGE, params: { prompt: 'sim:ok', num_outputs: 4 } });
  assert.equal((await submit(imageBody('sim:ok', { maxCoins: coins }, { num_outputs: 4 }))).coinsQuoted, coins);
});
test('submit: maxCoins one below the price is 409 max_coins_exceeded, nothing is held, the idempotency key is not consumed', async () => {
  const idempotencyKey = newKey();
  const { coins } = await quote({ modelId: IMAGE, params: { prompt: 'sim:ok', num_outputs: 4 } });
  assert.ok(coins > 1);
  await changesNothing(async () => {
    expectProblem(
      await postGeneration(imageBody('sim:ok', { maxCoins: coins - 1 }, { num_outputs: 4 }), { idempotencyKey }),
      409,
      'max_coins_exceeded',
    );
  });
  // Decisions, a refused submit
  if (!SPEC_ONLY) await submit(imageBody('sim:ok', { maxCoins: coins }, { num_outputs: 4 }), { idempotencyKey });
});

// ---- other members of the body
test('submit: an unknown model changes nothing', async () => {
  await changesNothing(async () =>
    expectProblem(await postGeneration({ ...imageBody(), modelId: 'no-such-model' }), 404, 'unknown_model'),
  );
});
test('submit: projectId is stored and echoed', async () => {
  const made = await submit(imageBody('sim:ok', { projectId: 'campaign 7 / \u00e9' }));
  assert.equal(made.projectId, 'campaign 7 / \u00e9'); // Decisions, projectId
  assert.equal((await getGeneration(made.id)).projectId, 'campaign 7 / \u00e9');
});
test('submit: projectId omitted or null is null', async () => {
  assert.equal((await submit()).projectId, null);
  assert.equal((await submit(imageBody('sim:ok', { projectId: null }))).projectId, null);
});
test('submit: projectId of 128 characters is accepted, of 0 or 129 refused', async () => {
  await submit(imageBody('sim:ok', { projectId: 'p'.repeat(128) }));
  for (const projectId of either(['', 'p'.repeat(129)], ['']))
    expectProblem(await postGeneration(imageBody('sim:ok', { projectId })), 400, 'invalid_params');
});
for (const consent of [false, 'true', 1, null]) {
  test(`submit: consent ${JSON.stringify(consent)} is 400 invalid_params`, async () => {
    expectProblem(await postGeneration(imageBody('sim:ok', { consent })), 400, 'invalid_params'); // Operation 4: only true is valid
  });
}
test('submit: consent true is accepted where it is not required', async () => {
  await submit(imageBody('sim:ok', { consent: true }));
});

// ---- coins
test('submit: an account without coins is 402 insufficient_coins and nothing is stored', async () => {
  await changesNothing(
    async () => expectProblem(await postGeneration(imageBody(), { key: 'poor' }), 402, 'insufficient_coins'),
    'poor',
  ); // Rules 5
});
test('submit: a quote token does not help an account without coins', async () => {
  const { quoteToken } = await quote({ modelId: IMAGE, params: { prompt: 'sim:ok' } }, 'poor');
  expectProblem(
    await postGeneration({ modelId: IMAGE, params: { prompt: 'sim:ok' }, quoteToken }, { key: 'poor' }),
    402,
    'insufficient_coins',
  );
});
test('submit: coins are held immediately', async () => {
  await quiet();
  const [{ balance: before }, { coins }] = [
    await account(),
    await quote({ modelId: IMAGE, params: { prompt: 'sim:ok:3000' } }),
  ];
  const made = await submit(imageBody('sim:ok:3000'));
  const { balance } = await account();
  assert.deepEqual([balance.available, balance.held], [before.available - coins, before.held + coins]); // States: coins held
  await waitTerminal(made.id);
});
test('submit: 50 concurrent requests with one key return one 201 and 49 times 200, with one generation and one hold', async () => {
  await quiet();
  const [{ balance }, { coins }, idempotencyKey] = [
    await account(),
    await quote({ modelId: IMAGE, params: { prompt: 'sim:ok' } }),
    newKey(),
  ];
  const answers = await Promise.all(Array.from({ length: 50 }, () => postGeneration(imageBody(), { idempotencyKey })));
  const count = (status) => answers.filter((each) => each.status === status).length;
  const statuses = [...new Set(answers.map((each) => each.status))].join();
  assert.equal(count(201), 1, statuses);
  decision(() => assert.equal(count(200), 49, statuses)); // two requests in flight
  assert.equal(new Set(answers.filter((each) => each.status < 300).map((each) => each.body.id)).size, 1);
  assert.equal((await account()).balance.available, balance.available - coins);
});
test('submit: 20 concurrent requests with one key and 20 bodies return one 201 and 19 times 409 idempotency_conflict', async () => {
  const idempotencyKey = newKey();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => postGeneration(imageBody(`body ${n}`), { idempotencyKey })),
  );
  assert.equal(answers.filter((each) => each.status === 201).length, 1);
  for (const answer of answers.filter((each) => each.status !== 201))
    expectProblem(answer, ...either([409, 'idempotency_conflict'], [[409, 503]])); // Decisions, two requests in flight
});
test('submit: 40 concurrent requests with 40 keys create 40 generations and 40 holds', async () => {
  await quiet();
  const [{ balance }, { coins }] = [await account(), await quote({ modelId: IMAGE, params: { prompt: 'sim:ok' } })];
  const made = await Promise.all(Array.from({ length: 40 }, () => submit()));
  assert.equal(new Set(made.map((each) => each.id)).size, 40);
  assert.equal((await account()).balance.available, balance.available - 40 * coins);
});

decided("submit: a key's monthly cap is exact under 20 concurrent submits, and a release frees capacity", async () => {
  // Rules 5, spend_cap_exceeded; decisions, monthly cap: spent = captured + still held. All slots are taken, so that accepted
  // generations stay queued; they are then canceled, which restores the cap for the next run.
  await quiet();
  const key = 'capped';
  const { coins } = await quote({ modelId: IMAGE, params: { prompt: 'sim:fail:internal' } }, key);
  const before = (await account(key)).key;
  const room = Math.floor((before.monthlySpendCapCoins - before.spentThisMonthCoins) / coins);
  assert.ok(room >= 1, 'no room left under the cap in this month: the sandbox needs a fresh capped key');
  await fillSlots('sim:ok:6000');
  const { balance } = await account();
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => postGeneration(imageBody('sim:fail:internal'), { key })),
  );
  const made = answers.filter((each) => each.status === 201);
  for (const answer of answers.filter((each) => each.status !== 201)) expectProblem(answer, 402, 'spend_cap_exceeded');
  const during = await account(key);
  const canceled = await Promise.all(made.map((each) => cancel(each.body.id)));
  assert.equal(made.length, room);
  assert.equal(during.key.spentThisMonthCoins, before.spentThisMonthCoins + room * coins);
  assert.equal(during.balance.available, balance.available - room * coins, 'what was refused holds nothing');
  assert.deepEqual(
    canceled.map((each) => each.status),
    made.map(() => 200),
  );
  assert.equal((await account(key)).key.spentThisMonthCoins, before.spentThisMonthCoins);
});
test("submit: one request above a key's monthly cap is 402 spend_cap_exceeded", async () => {
  const { monthlySpendCapCoins, spentThisMonthCoins } = (await account('capped')).key;
  const { coins } = await quote({ modelId: IMAGE, params: { prompt: 'sim:ok', num_outputs: 4 } }, 'capped');
  assert.ok(coins > monthlySpendCapCoins - spentThisMonthCoins, 'four outputs cost more than the cap of three');
  await changesNothing(async () =>
    expectProblem(
      await postGeneration(imageBody('sim:ok', {}, { num_outputs: 4 }), { key: 'capped' }),
      402,
      'spend_cap_exceeded',
    ),
  );
});
