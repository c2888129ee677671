// Operation 3, POST /v1/quotes, and the quote token.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  account,
  call,
  expectOk,
  expectProblem,
  fixture,
  IMAGE,
  list,
  newKey,
  postGeneration,
  postQuote,
  quiet,
  quote,
  spoil,
  submit,
  waitTerminal,
} from './kit.mjs';
import { decided, decision, skip } from './mode.mjs';
import * as schema from './schema.mjs';

const body = (params = {}) => ({ modelId: IMAGE, params: { prompt: 'sim:ok', ...params } });

test('quotes: 200 response conforms, and the total is the price per output times the outputs', async () => {
  const priced = await quote(body());
  assert.equal(priced.modelId, IMAGE);
  decision(() => {
    assert.equal(priced.coins, priced.coinsPerOutput * priced.outputs); // partial result: coinsPerOutput x delivered
    assert.notEqual(priced.quoteToken, null); // null exactly when it cannot be submitted
  });
});
for (const outputs of [1, 2, 3, 4]) {
  test(`quotes: outputs follows num_outputs = ${outputs}`, async () => {
    const priced = await quote(body({ num_outputs: outputs }));
    assert.equal(priced.outputs, outputs);
    decision(() => assert.equal(priced.coins, priced.coinsPerOutput * outputs));
  });
}
test('quotes: the price is exact: the same request has the same price', async () => {
  const [one, two] = [await quote(body({ num_outputs: 2 })), await quote(body({ num_outputs: 2 }))];
  assert.deepEqual([one.coins, one.coinsPerOutput], [two.coins, two.coinsPerOutput]);
});
test('quotes: an omitted param is priced at its default', async () => {
  // Param names: omitted params take the model default
  const { defaults } = (await call('GET /v1/models')).body.models.find((each) => each.id === IMAGE);
  assert.equal((await quote(body())).coins, (await quote(body({ ...defaults, prompt: 'sim:ok' }))).coins);
});
test('quotes: expiresAt is in ten minutes', async () => {
  const answer = await postQuote(body());
  const now = answer.headers.get('date') ? Date.parse(answer.headers.get('date')) : Date.now();
  const minutes = (Date.parse(expectOk(answer, 200, schema.quoteResponse).expiresAt) - now) / 60_000;
  assert.ok(minutes > 9.8 && minutes < 10.2, `${minutes} minutes`); // Operation 3: valid 10 minutes
});
test('quotes: availableCoins is the balance of the account', async () => {
  await quiet();
  assert.equal((await quote(body())).availableCoins, (await account()).balance.available);
});
test('quotes: a quote holds and stores nothing', async () => {
  await quiet();
  const [before, newest] = [(await account()).balance, (await list('?limit=1')).items[0]?.id];
  await quote(body({ num_outputs: 4 }));
  assert.deepEqual((await account()).balance, before);
  assert.equal((await list('?limit=1')).items[0]?.id, newest);
});
decided('quotes: a low balance still gets a token', async () => {
  const priced = await quote(body(), 'poor');
  assert.equal(priced.availableCoins, 0);
  assert.notEqual(priced.quoteToken, null); // Decisions, quoteToken null: never for a low balance
});
test('quotes: a submit with the token is charged exactly the quoted coins', async () => {
  const priced = await quote(body({ num_outputs: 3 }));
  const made = await submit({ ...body({ num_outputs: 3 }), quoteToken: priced.quoteToken });
  assert.equal(made.coinsQuoted, priced.coins);
  assert.equal(made.outputsRequested, 3);
  assert.equal((await waitTerminal(made.id)).coinsCharged, priced.coins);
});
test('quotes: the price of a quote is the price of a submit with maxCoins', async () => {
  const { coins } = await quote(body({ num_outputs: 2 }));
  assert.equal((await submit({ ...body({ num_outputs: 2 }), maxCoins: coins })).coinsQuoted, coins);
});
decided('quotes: a token may be used again until it expires', async () => {
  const { quoteToken } = await quote(body()); // Decisions, quote token: reusable
  const [one, two] = [await submit({ ...body(), quoteToken }), await submit({ ...body(), quoteToken })];
  assert.notEqual(one.id, two.id);
});
decided('quotes: a token is bound to the account, not to the key', async () => {
  const { quoteToken } = await quote(body(), 'full');
  await submit({ ...body(), quoteToken }, { key: 'full2' });
});
decided('quotes: a token accepts the same params in a different order', async () => {
  const { quoteToken } = await quote({ modelId: IMAGE, params: { prompt: 'sim:ok', num_outputs: 2 } });
  await submit({ quoteToken, params: { num_outputs: 2, prompt: 'sim:ok' }, modelId: IMAGE }); // Decisions: canonical params
});

// Decisions, quote token: forged, of another account, or for another body: 400 invalid_quote
test('quotes: a changed token is 400 invalid_quote', async () => {
  const { quoteToken } = await quote(body());
  expectProblem(await postGeneration({ ...body(), quoteToken: spoil(quoteToken) }), 400, 'invalid_quote');
});
test('quotes: a truncated token is 400 invalid_quote', async () => {
  const { quoteToken } = await quote(body());
  expectProblem(await postGeneration({ ...body(), quoteToken: quoteToken.slice(0, -5) }), 400, 'invalid_quote');
});
test('quotes: text that is not a token is 400 invalid_quote', async () => {
  expectProblem(await postGeneration({ ...body(), quoteToken: 'no-token' }), 400, 'invalid_quote');
});
decided('quotes: a token for another prompt is 400 invalid_quote', async () => {
  const { quoteToken } = await quote(body());
  expectProblem(await postGeneration({ ...body({ prompt: 'sim:ok ' }), quoteToken }), 400, 'invalid_quote');
});
decided('quotes: a token for fewer outputs is 400 invalid_quote', async () => {
  const { quoteToken } = await quote(body({ num_outputs: 1 }));
  expectProblem(await postGeneration({ ...body({ num_outputs: 4 }), quoteToken }), 400, 'invalid_quote');
});
decided('quotes: a token for another model is 400 invalid_quote', async (t) => {
  const other = (await call('GET /v1/models')).body.models.find(
    (each) =>
      each.id !== IMAGE &&
      each.priceFromCoins !== null &&
      each.params.every((param) => !param.required || param.name === 'prompt') &&
      each.params.some((param) => param.name === 'prompt'),
  );
  if (!other) return skip(t, 'no second model takes only a prompt');
  const { quoteToken } = await quote({ ...body(), modelId: other.id });
  expectProblem(await postGeneration({ ...body(), quoteToken }), 400, 'invalid_quote');
});
decided("quotes: another account's token is 400 invalid_quote", async () => {
  const { quoteToken } = await quote(body(), 'other');
  expectProblem(await postGeneration({ ...body(), quoteToken }), 400, 'invalid_quote');
});
decided('quotes: a refused token does not consume the idempotency key', async () => {
  const idempotencyKey = newKey();
  expectProblem(await postGeneration({ ...body(), quoteToken: 'no-token' }, { idempotencyKey }), 400, 'invalid_quote');
  const { quoteToken } = await quote(body());
  await submit({ ...body(), quoteToken }, { idempotencyKey });
});

// Decisions, draft
decided('quotes: a draft has a price and no token', async () => {
  const priced = await quote({ ...body({ num_outputs: 2 }), draft: true });
  assert.equal(priced.quoteToken, null);
  assert.equal(priced.coins, (await quote(body({ num_outputs: 2 }))).coins);
});
decided('quotes: a draft does not need a prompt', async () => {
  assert.equal((await quote({ modelId: IMAGE, params: {}, draft: true })).quoteToken, null);
});
for (const name of ['imageInput', 'video', 'consent']) {
  decided(`quotes: a draft of the ${name} model does not need its upload; a full quote does`, async () => {
    const modelId = fixture.models[name];
    assert.equal((await quote({ modelId, params: {}, draft: true })).quoteToken, null);
    expectProblem(await postQuote({ modelId, params: {} }), 400, 'invalid_params');
  });
}
decided('quotes: draft false is an ordinary quote', async () => {
  assert.notEqual((await quote({ ...body(), draft: false })).quoteToken, null);
});
test('quotes: draft that is not a boolean is 400 invalid_params', async () => {
  expectProblem(await postQuote({ ...body(), draft: 'yes' }), 400, 'invalid_params');
});
test('quotes: an empty modelId is refused', async () => {
  expectProblem(await postQuote({ modelId: '', params: {} }), 400, 'invalid_params'); // Operation 3: min 1
});
