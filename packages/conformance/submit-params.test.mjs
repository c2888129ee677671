// Operation 4: params are checked against the catalog's descriptors (Limits, "Per-model limits").

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changesNothing,
  expectIssueIfAny,
  expectProblem,
  fixture,
  IMAGE,
  imageBody,
  model,
  models,
  PLENTY,
  postGeneration,
  postQuote,
  requiredParams,
  UNKNOWN_ID,
} from './kit.mjs';
import { skip } from './mode.mjs';
import * as schema from './schema.mjs';

/** Values that the descriptor forbids, each with a title. */
function forbidden(descriptor) {
  switch (descriptor.kind) {
    case 'text':
      return [
        ...(descriptor.maxLength < 200_000 ? [['one character too long', 'x'.repeat(descriptor.maxLength + 1)]] : []), // a larger body is refused as such
        ...(descriptor.minLength > 1 ? [['one character too short', 'x'.repeat(descriptor.minLength - 1)]] : []),
        ['a number', 7],
        ['an array', ['x']],
        ['an object', {}],
        ['null', null],
      ];
    case 'enum':
      return [
        ['no value of the list', 'no-such-value'],
        ['an array', ['x']],
        ['null', null],
      ];
    case 'range':
      return [
        ['one step under min', descriptor.min - descriptor.step],
        ['one step over max', descriptor.max + descriptor.step],
        ...(descriptor.max - descriptor.min >= descriptor.step
          ? [['half a step off', descriptor.min + descriptor.step / 2]]
          : []),
        ['a string', String(descriptor.min)],
        ['a boolean', true],
        ['null', null],
      ];
    case 'seed':
      return [
        ['over max', descriptor.max + 1],
        ['a string', '1'],
        ['null', null],
      ];
    case 'media':
      return [
        ['a number', 7],
        ['an array', [UNKNOWN_ID]],
        ['no id', 'not an id!'],
      ];
    case 'media_list':
      return [
        ['too many', Array(descriptor.maxItems + 1).fill(UNKNOWN_ID)],
        ['a string', UNKNOWN_ID],
        ['numbers', [7]],
        ...(descriptor.minItems > 0 ? [['too few', Array(descriptor.minItems - 1).fill(UNKNOWN_ID)]] : []),
      ];
    default:
      return [];
  }
}
test('submit: each param of the image model outside its descriptor is 400 invalid_params and changes nothing', async () => {
  const entry = await model(IMAGE);
  await changesNothing(async () => {
    for (const descriptor of entry.params) {
      for (const [title, value] of forbidden(descriptor)) {
        const answer = await postGeneration(imageBody('sim:ok', {}, { [descriptor.name]: value }));
        const body = (() => {
          try {
            return expectProblem(answer, 400, 'invalid_params');
          } catch (error) {
            error.message = `${descriptor.name} ${title}: ${error.message}`;
            throw error;
          }
        })();
        expectIssueIfAny(body, descriptor.name);
      }
    }
  });
});
test('submit: a quote checks each param of every model without required media against its descriptor', async () => {
  const plain = (await models()).filter((entry) =>
    entry.params.every((each) => !each.required || !each.kind.startsWith('media')),
  );
  for (const entry of plain) {
    const params = await requiredParams(entry);
    assert.equal(
      (await postQuote({ modelId: entry.id, params })).status,
      200,
      `${entry.id} with ${JSON.stringify(params)}`,
    );
    for (const descriptor of entry.params) {
      for (const [title, value] of forbidden(descriptor)) {
        const answer = await postQuote({ modelId: entry.id, params: { ...params, [descriptor.name]: value } });
        assert.deepEqual(
          [answer.status, answer.body?.code],
          [400, 'invalid_params'],
          `${entry.id} ${descriptor.name} ${title}: ${answer.text}`,
        );
      }
    }
  }
});
test('submit: each param of the image model at its bounds is accepted in a quote', async () => {
  const entry = await model(IMAGE);
  for (const descriptor of entry.params) {
    const values =
      {
        text: () => ['x'.repeat(descriptor.maxLength)],
        enum: () => descriptor.values,
        range: () => [descriptor.min, descriptor.max],
        seed: () => [1, descriptor.max],
      }[descriptor.kind]?.() ?? [];
    for (const value of values) {
      const answer = await postQuote({ modelId: IMAGE, params: { prompt: 'sim:ok', [descriptor.name]: value } });
      assert.equal(answer.status, 200, `${descriptor.name} = ${JSON.stringify(value).slice(0, 80)}: ${answer.text}`);
    }
  }
});
test('submit: a param that the model does not have is 400 invalid_params', async () => {
  const offered = (await model(IMAGE)).params.map((each) => each.name);
  const foreign = schema.PARAM_NAMES.find((name) => !offered.includes(name));
  expectProblem(await postGeneration(imageBody('sim:ok', {}, { [foreign]: 'x' })), 400, 'invalid_params');
});
test('submit: a missing required param is 400 invalid_params', async (t) => {
  const required = (await model(fixture.models.imageInput)).params.find(
    (each) => each.required && each.name === 'image',
  );
  if (!required) return skip(t, 'the imageInput model has no required image');
  expectIssueIfAny(
    expectProblem(
      await postGeneration({ modelId: fixture.models.imageInput, params: {}, maxCoins: PLENTY }),
      400,
      'invalid_params',
    ),
    'image',
  );
});
