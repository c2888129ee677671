// Operation 1, GET /v1/models, and the model catalog entry.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, expectOk, fixture, model, models, postQuote, quote } from './kit.mjs';
import { decided } from './mode.mjs';
import * as schema from './schema.mjs';

test('models: 200 without a key, every entry conforms to the catalog schema', async () => {
  // Authentication 2; Resources, "Model catalog entry"
  expectOk(await call('GET /v1/models'), 200, schema.modelsResponse);
});

decided('models: an invalid key does not block the public catalog', async () => {
  // Operation 1: public, no key
  expectOk(await call('GET /v1/models', { headers: { authorization: 'Bearer nonsense' } }), 200, schema.modelsResponse);
});

test('models: a stated cache lifetime is one minute', async () => {
  // Operation 1: cached for one minute; the header itself is optional
  const maxAge = /max-age=(\d+)/.exec((await call('GET /v1/models')).headers.get('cache-control') ?? '');
  if (maxAge) assert.equal(Number(maxAge[1]), 60);
});

test('models: two reads return the same order', async () => {
  // Operation 1: in display order
  const ids = async () => (await call('GET /v1/models')).body.models.map((each) => each.id);
  assert.deepEqual(await ids(), await ids());
});

test('models: ids are not empty and are unique', async () => {
  // id is the modelId used in quotes and submits
  const ids = (await models()).map((each) => each.id);
  assert.ok(ids.every((id) => id.length > 0));
  assert.equal(new Set(ids).size, ids.length);
});

test('models: the catalog contains every model of the fixture', async () => {
  for (const id of Object.values(fixture.models)) await model(id);
});

test('models: no model describes a param twice', async () => {
  for (const entry of await models()) {
    const names = entry.params.map((each) => each.name);
    assert.equal(new Set(names).size, names.length, entry.id);
  }
});

test('models: each descriptor has valid bounds', async () => {
  // min <= max, minLength <= maxLength, minItems <= maxItems
  for (const entry of await models()) {
    for (const each of entry.params) {
      const where = `${entry.id} ${each.name}`;
      if (each.kind === 'range') assert.ok(each.min <= each.max, where);
      if (each.kind === 'text') assert.ok((each.minLength ?? 1) <= each.maxLength, where);
      if (each.kind === 'media_list') assert.ok(each.minItems <= each.maxItems, where);
    }
  }
});

test('models: input limits are valid', async () => {
  for (const { id, inputLimits } of await models()) {
    if (inputLimits?.minInputSeconds && inputLimits.maxInputSeconds)
      assert.ok(inputLimits.minInputSeconds <= inputLimits.maxInputSeconds, id);
  }
});

test('models: each default is valid for its descriptor', async () => {
  // "omitted params take the model default": so a default is a value that the descriptor allows
  for (const entry of await models()) {
    for (const [name, value] of Object.entries(entry.defaults)) {
      const where = `${entry.id} default of ${name}: ${JSON.stringify(value)}`;
      const descriptor = entry.params.find((each) => each.name === name);
      if (!descriptor) continue; // a default without a descriptor is internal to the service
      if (descriptor.kind === 'enum') assert.ok(descriptor.values.includes(value), where);
      if (descriptor.kind === 'range')
        assert.ok(typeof value === 'number' && value >= descriptor.min && value <= descriptor.max, where);
      if (descriptor.kind === 'text')
        assert.ok(typeof value === 'string' && value.length <= descriptor.maxLength, where);
      if (descriptor.kind === 'seed')
        assert.ok(Number.isInteger(value) && value >= 0 && value <= descriptor.max, where);
    }
  }
});

test('models: the image model generates images and accepts prompt and num_outputs', async () => {
  const entry = await model(fixture.models.image);
  assert.equal(entry.taskType, 'image.generate');
  assert.equal(entry.modality, 'image');
  assert.deepEqual(
    ['prompt', 'num_outputs'].filter((name) => !entry.params.some((each) => each.name === name)),
    [],
  );
});

test('models: priceFromCoins is the price of a request that sets only the prompt', async () => {
  // Model catalog entry: priceFromCoins
  const plain = (await models()).filter(
    (entry) =>
      entry.priceFromCoins !== null &&
      entry.params.some((each) => each.name === 'prompt' && each.kind === 'text') &&
      entry.params.every((each) => !each.required || each.name === 'prompt'),
  );
  assert.ok(plain.length > 0, 'the image model at least is one of them');
  for (const entry of plain) {
    const { minLength = 0 } = entry.params.find((each) => each.name === 'prompt');
    assert.equal(
      (await quote({ modelId: entry.id, params: { prompt: 'sim:ok'.padEnd(minLength, '.') } })).coins,
      entry.priceFromCoins,
      entry.id,
    );
  }
});

decided('models: priceFromCoins is null where a request with only a prompt cannot be valid', async () => {
  // Decisions, "The rest": priceFromCoins null
  const needMedia = (await models()).filter((entry) =>
    entry.params.some(
      (each) => each.required && (each.kind === 'media' || (each.kind === 'media_list' && each.minItems > 0)),
    ),
  );
  assert.ok(needMedia.length > 0);
  for (const entry of needMedia) assert.equal(entry.priceFromCoins, null, entry.id);
});

decided('models: every model of the catalog can be priced as a draft', async () => {
  // Operation 1: every model open to the API now; decisions, draft: required params may be missing
  for (const entry of await models()) {
    const answer = await postQuote({ modelId: entry.id, params: {}, draft: true });
    assert.equal(answer.status, 200, `${entry.id}: ${answer.text}`);
  }
});
