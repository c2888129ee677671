// Operation 2, GET /v1/effects, and running an effect.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  call,
  expectOk,
  expectProblem,
  fileFor,
  IMAGE,
  model,
  models,
  PLENTY,
  postGeneration,
  postQuote,
  upload,
  waitTerminal,
} from './kit.mjs';
import { decided, skip } from './mode.mjs';
import * as schema from './schema.mjs';

const effects = async () => expectOk(await call('GET /v1/effects'), 200, schema.effectsResponse).effects;

/** A request that runs the effect, with its inputs uploaded. */
async function request(effect) {
  const entry = await model(effect.modelId);
  const file = fileFor(effect.input.type === 'video' ? 'video' : 'image', entry.inputLimits);
  const params = effect.input.type === 'video' ? { video: (await upload(file)).id } : { images: [] };
  for (let n = 0; n < (effect.input.min ?? 0); n += 1) params.images.push((await upload(file)).id);
  return { modelId: effect.modelId, effectId: effect.id, params };
}

test('effects: 200 without a key, every entry conforms to the effect schema', async () => {
  await effects(); // Authentication 2; Resources, "Effect"
});

test('effects: ids are unique', async () => {
  const ids = (await effects()).map((each) => each.id);
  assert.equal(new Set(ids).size, ids.length);
});

decided('effects: nameKey is effects.<id>.name', async () => {
  for (const each of await effects()) assert.equal(each.nameKey, `effects.${each.id}.name`); // Decisions, nameKey
});

test('effects: the number of input images has valid bounds', async () => {
  for (const { id, input } of await effects()) if (input.type === 'images') assert.ok(input.min <= input.max, id);
});

test('effects: each refers to a model of the catalog', async () => {
  // Effect.modelId: the model to use with this effect, in quotes and submits
  const ids = (await models()).map((each) => each.id);
  for (const each of await effects()) assert.ok(ids.includes(each.modelId), `${each.id} names ${each.modelId}`);
});

for (const type of ['images', 'video']) {
  test(`effects: one with input ${type} is quoted and run through the same operations`, async (t) => {
    // Operation 2: quote and submit with the effect's modelId and effectId; params holds the effect input
    const effect = (await effects()).find((each) => each.input.type === type);
    if (!effect) return skip(t, `no effect takes ${type}`);
    const json = await request(effect);
    const priced = expectOk(await postQuote(json), 200, schema.quoteResponse);
    let answer = await postGeneration({ ...json, quoteToken: priced.quoteToken });
    if (answer.body?.code === 'consent_required')
      answer = await postGeneration({ ...json, quoteToken: priced.quoteToken, consent: true });
    const made = expectOk(answer, 201, schema.generation);
    assert.equal(made.effect.id, effect.id);
    assert.equal(made.modelId, effect.modelId);
    assert.equal(made.coinsQuoted, priced.coins);
    const ended = await waitTerminal(made.id);
    assert.equal(ended.status, 'succeeded');
    assert.equal(ended.effect.id, effect.id);
  });
}

test('effects: a quote without the effect input is refused', async (t) => {
  const effect = (await effects()).find((each) => each.input.type === 'video' || each.input.min >= 1);
  if (!effect) return skip(t, 'no effects');
  expectProblem(await postQuote({ modelId: effect.modelId, effectId: effect.id, params: {} }), 400, 'invalid_params');
});

test('effects: more images than the effect accepts are refused', async (t) => {
  const effect = (await effects()).find((each) => each.input.type === 'images');
  if (!effect) return skip(t, 'no effect takes images');
  const { id } = await upload(fileFor('image'));
  expectProblem(
    await postQuote({
      modelId: effect.modelId,
      effectId: effect.id,
      params: { images: Array(effect.input.max + 1).fill(id) },
    }),
    400,
    'invalid_params',
  );
});

for (const [title, effectId] of [
  ['upper case', 'Not-An-Id'],
  ['65 characters', 'a'.repeat(65)],
  ['a leading dash', '-abc'],
  ['an empty string', ''],
]) {
  test(`effects: effectId with ${title} is refused by quote and submit`, async () => {
    // Operations 3 and 4: effectId pattern ^[a-z0-9][a-z0-9-]{0,63}$
    const json = { modelId: IMAGE, params: { prompt: 'sim:ok' }, effectId };
    expectProblem(await postQuote(json), 400, 'invalid_params');
    expectProblem(await postGeneration({ ...json, maxCoins: PLENTY }), 400, 'invalid_params');
  });
}

test('effects: an unknown effectId is refused', async () => {
  expectProblem(
    await postQuote({ modelId: IMAGE, params: { prompt: 'sim:ok' }, effectId: 'no-such-effect-at-all' }),
    [400, 404],
  ); // the code is not shown
});
