// Errors: the shape of a Problem, and the refusals that every operation shares.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  call,
  cancel,
  expectIssueIfAny,
  expectNamed,
  expectOk,
  expectProblem,
  IMAGE,
  imageBody,
  newKey,
  PLENTY,
  postGeneration,
  postQuote,
  submit,
  UNKNOWN_ID,
} from './kit.mjs';
import { decided, decision, SPEC_ONLY } from './mode.mjs';

test('problems: an unknown path is a 404 not_found problem', async () => {
  expectProblem(await call('GET /v1/no-such-thing', { key: 'full' }), 404, 'not_found');
});
for (const [title, id] of [
  ['unknown', UNKNOWN_ID],
  ['not a uuid', 'abc'],
  ['a uuid with braces', `%7B${UNKNOWN_ID}%7D`],
  ['a traversal', '..%2F..%2Faccount'],
  ['malformed escapes', '%E0%A4%A'],
  ['a NUL', 'a%00b'],
]) {
  for (const [operation, path] of [
    ['GET', `/v1/generations/${id}`],
    ['POST', `/v1/generations/${id}/cancel`],
    ['GET', `/v1/assets/${id}`],
  ]) {
    test(`problems: ${operation} ${path.replace(id, '{id}')} with an id that is ${title} is refused as a problem`, async () => {
      // Decisions, ids in paths: strict lower-case uuid; anything else is 404 not_found. A path that is not a URI may also be 400.
      const isUri = title !== 'malformed escapes';
      if (!isUri || (SPEC_ONLY && title !== 'unknown'))
        expectProblem(await call(`${operation} ${path}`, { key: 'full' }), [400, 404]);
      else expectProblem(await call(`${operation} ${path}`, { key: 'full' }), 404, 'not_found');
    });
  }
}
decided('problems: the id of a generation in upper case is 404', async () => {
  const { id } = await submit();
  expectProblem(await call(`GET /v1/generations/${id.toUpperCase()}`, { key: 'full' }), 404, 'not_found');
});

for (const [operation, allowed] of [
  ['DELETE /v1/models', ['GET']],
  ['POST /v1/effects', ['GET']],
  ['GET /v1/quotes', ['POST']],
  ['PUT /v1/generations', ['GET', 'POST']],
  ['DELETE /v1/generations/concurrency', ['GET']],
  [`GET /v1/generations/${UNKNOWN_ID}/cancel`, ['POST']],
  [`DELETE /v1/generations/${UNKNOWN_ID}`, ['GET']],
  ['GET /v1/uploads', ['POST']],
  [`PATCH /v1/assets/${UNKNOWN_ID}`, ['GET']],
  ['DELETE /v1/account', ['GET']],
]) {
  decided(`problems: ${operation.replace(UNKNOWN_ID, '{id}')} is 405 with Allow`, async () => {
    // Decisions: wrong method on a known path
    const answer = await call(operation, { key: 'full' });
    expectProblem(answer, 405, 'invalid_params');
    const allow = (answer.headers.get('allow') ?? '').split(',').map((each) => each.trim().toUpperCase());
    for (const method of allowed) assert.ok(allow.includes(method), `Allow lacks ${method}: ${allow}`);
    assert.ok(!allow.includes(operation.split(' ')[0]), 'Allow does not name the refused method');
  });
}

// Both JSON operations reject the same invalid bodies.
const JSON_OPERATIONS = [
  ['POST /v1/quotes', (json) => postQuote(json)],
  ['POST /v1/generations', (json) => postGeneration(json)],
];
for (const [name, post] of JSON_OPERATIONS) {
  for (const [title, json] of [
    ['cut short', '{"modelId":'],
    ['no body', ''],
    ['not JSON', 'modelId=abc'],
    ['two documents', '{}{}'],
  ]) {
    test(`problems: ${name} with a body that is ${title} is a 400 problem`, async () => {
      expectProblem(await post(json), 400);
    });
  }
  for (const [title, json] of [
    ['an array', []],
    ['a string', '"text"'],
    ['null', 'null'],
    ['a number', '7'],
  ]) {
    test(`problems: ${name} with a body that is ${title} is 400 invalid_params`, async () => {
      expectProblem(await post(json), 400, 'invalid_params');
    });
  }
  test(`problems: ${name} without modelId is 400 invalid_params`, async () => {
    expectIssueIfAny(
      expectProblem(
        await post({ params: { prompt: 'x' }, ...(name.endsWith('ions') && { maxCoins: PLENTY }) }),
        400,
        'invalid_params',
      ),
      'modelId',
    );
  });
  test(`problems: ${name} without params is 400 invalid_params`, async () => {
    expectIssueIfAny(
      expectProblem(
        await post({ modelId: IMAGE, ...(name.endsWith('ions') && { maxCoins: PLENTY }) }),
        400,
        'invalid_params',
      ),
      'params',
    );
  });
  test(`problems: ${name} with params that are an array is 400 invalid_params`, async () => {
    expectProblem(
      await post({ modelId: IMAGE, params: [], ...(name.endsWith('ions') && { maxCoins: PLENTY }) }),
      400,
      'invalid_params',
    );
  });
  decided(`problems: ${name} with an unknown field is 400 invalid_params and names it`, async () => {
    // Decisions, unknown fields in a request body
    const guard = name.endsWith('ions') && { maxCoins: PLENTY };
    expectNamed(
      expectProblem(
        await post({ modelId: IMAGE, params: { prompt: 'x' }, max_coins: 5, ...guard }),
        400,
        'invalid_params',
      ),
      'max_coins',
    );
  });
  test(`problems: ${name} with an unknown param name is 400 invalid_params and names it`, async () => {
    // Param names: the only keys allowed in any params object
    const guard = name.endsWith('ions') && { maxCoins: PLENTY };
    const answer = await post({ modelId: IMAGE, params: { prompt: 'x', guidance: 3 }, ...guard });
    const body = expectProblem(answer, 400, 'invalid_params');
    decision(() => expectNamed(body, 'guidance'));
  });
  test(`problems: ${name} with __proto__ among the params is refused`, async () => {
    const guard = name.endsWith('ions') ? ',"maxCoins":1000000' : '';
    expectProblem(
      await post(`{"modelId":${JSON.stringify(IMAGE)},"params":{"prompt":"x","__proto__":{"num_outputs":4}}${guard}}`),
      400,
    );
  });
  test(`problems: ${name} for a model that does not exist is 404 unknown_model`, async () => {
    expectProblem(
      await post({
        modelId: 'no-such-model',
        params: { prompt: 'x' },
        ...(name.endsWith('ions') && { maxCoins: PLENTY }),
      }),
      404,
      'unknown_model',
    );
  });
  // Decisions, strings
  for (const [title, text] of [
    ['NUL', '\\u0000'],
    ['a lone surrogate', '\\ud800'],
    ['a control character', '\\u0007'],
    ['escape', '\\u001b'],
  ]) {
    decided(`problems: ${name} with ${title} in a string is 400`, async () => {
      const guard = name.endsWith('ions') ? ',"maxCoins":1000000' : '';
      expectProblem(await post(`{"modelId":${JSON.stringify(IMAGE)},"params":{"prompt":"a${text}b"}${guard}}`), 400);
    });
  }
  decided(`problems: ${name} with JSON deeper than 32 is 400 input_too_large`, async () => {
    expectProblem(
      await post(`{"modelId":"x","params":${'{"prompt":'.repeat(60)}1${'}'.repeat(60)}}`),
      400,
      'input_too_large',
    );
  });
  decided(`problems: ${name} with a body over 256 KiB is 400 input_too_large`, async () => {
    expectProblem(await post({ modelId: IMAGE, params: { prompt: 'x'.repeat(300 * 1024) } }), 400, 'input_too_large');
  });
}
test('problems: tab, newline and non-ASCII letters are accepted', async () => {
  expectOk(await postQuote({ modelId: IMAGE, params: { prompt: 'a\tb\nc \u00e9 \u65e5\u672c \ud83d\ude00' } }), 200); // Decisions, strings
});
decided('problems: a refused body does not consume the idempotency key', async () => {
  // Decisions: a refused submit does not consume the idempotency key
  const idempotencyKey = newKey();
  expectProblem(await postGeneration('{"modelId":', { idempotencyKey }), 400);
  expectOk(await postGeneration(imageBody(), { idempotencyKey }), 201);
});
decided('problems: a 404 reveals only not_found', async () => {
  const body = expectProblem(await cancel(UNKNOWN_ID), 404, 'not_found');
  assert.doesNotMatch(JSON.stringify(body), /\bat .+\.(m|c)?[jt]s:\d+|select .+ from /i, 'no stack, no statement');
});
