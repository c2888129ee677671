// Authentication: keys, the 401 and 403 codes, the scope matrix.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import {
  call,
  cancel,
  expectOk,
  expectProblem,
  fixture,
  imageBody,
  newKey,
  run,
  spoil,
  submit,
  UNKNOWN_ID,
} from './kit.mjs';
import { accepted } from './media.mjs';
import { decided, decision, either } from './mode.mjs';
import * as schema from './schema.mjs';

describe('auth', () => {
  let ended; // a finished generation of account A
  before(async () => {
    ended = await run(imageBody());
  });

  const png = () => {
    const form = new FormData();
    form.append('file', new Blob([accepted[0].bytes], { type: 'image/png' }), 'image.png');
    return form;
  };
  // The nine authenticated operations, each with a request that is valid in every other respect, and what a key with the scope gets.
  const OPERATIONS = [
    {
      name: 'POST /v1/quotes',
      scope: 'generate',
      status: 200,
      options: () => ({ json: { modelId: fixture.models.image, params: { prompt: 'sim:ok' } } }),
    },
    {
      name: 'POST /v1/generations',
      scope: 'generate',
      status: 201,
      options: () => ({ json: imageBody(), headers: { 'idempotency-key': newKey() } }),
    },
    {
      name: 'POST /v1/generations/{id}/cancel',
      scope: 'generate',
      status: 409,
      path: () => `POST /v1/generations/${ended.id}/cancel`,
    },
    { name: 'GET /v1/generations', scope: 'read', status: 200 },
    { name: 'GET /v1/generations/{id}', scope: 'read', status: 200, path: () => `GET /v1/generations/${ended.id}` },
    { name: 'GET /v1/generations/concurrency', scope: 'read', status: 200 },
    { name: 'POST /v1/uploads', scope: 'uploads', status: 201, options: () => ({ body: png() }) },
    { name: 'GET /v1/assets/{id}', scope: 'read', status: 200, path: () => `GET /v1/assets/${ended.outputs[0].id}` },
    { name: 'GET /v1/account', scope: 'account', status: 200 },
  ];
  const send = (operation, more) => {
    const { headers, ...options } = operation.options?.() ?? {};
    return call(operation.path?.() ?? operation.name, {
      ...options,
      ...more,
      headers: { ...headers, ...more.headers },
    });
  };
  function expect401(answer, code) {
    expectProblem(answer, 401, code);
    decision(() =>
      assert.match(
        answer.headers.get('www-authenticate') ?? '',
        /^Bearer\b/i,
        'every 401 carries WWW-Authenticate: Bearer',
      ),
    );
  }

  for (const operation of OPERATIONS) {
    test(`auth: ${operation.name} without credentials is 401 unauthorized`, async () => {
      expect401(await send(operation, {}), either('unauthorized', undefined)); // Authentication 1 and 5; decisions: no credentials
    });
  }

  for (const operation of OPERATIONS) {
    for (const scope of schema.SCOPES) {
      const allowed = operation.scope === scope;
      test(`auth: scope ${scope} ${allowed ? 'allows' : 'does not allow'} ${operation.name}`, async () => {
        // Authentication 3, the scope table; 5: a missing scope gives 403 insufficient_scope
        const answer = await send(operation, { key: scope });
        if (!allowed) return void expectProblem(answer, 403, 'insufficient_scope');
        assert.equal(answer.status, operation.status, answer.text);
        if (operation.status === 409) expectProblem(answer, 409, 'not_cancelable');
      });
    }
  }

  test('auth: an unknown key is 401 invalid_api_key', async () => {
    expect401(
      await call('GET /v1/account', { headers: { authorization: `Bearer ${spoil(fixture.keys.full)}` } }),
      either('invalid_api_key', ['unauthorized', 'invalid_api_key']),
    );
  });
  for (const [title, value] of [
    ['a malformed key', 'Bearer not-a-key'],
    ['a very long key', `Bearer ${'a'.repeat(4000)}`],
  ]) {
    test(`auth: ${title} is 401 invalid_api_key`, async () => {
      const code = either('invalid_api_key', ['unauthorized', 'invalid_api_key']); // Decisions: malformed or unknown
      expect401(await call('GET /v1/account', { headers: { authorization: value } }), code);
    });
  }
  for (const [title, headers] of [
    ['another scheme', { authorization: 'Basic dXNlcjpwYXNz' }],
    ['two words after the scheme', { authorization: 'Bearer one two' }],
    ['a key without scheme', { authorization: 'abcdef' }],
  ]) {
    test(`auth: ${title} is 401`, async () => {
      expect401(await call('GET /v1/account', { headers }), ['unauthorized', 'invalid_api_key']);
    });
  }
  test('auth: a key in the query string is not accepted', async () => {
    // Authentication 1: the header Authorization
    expect401(
      await call(`GET /v1/account?api_key=${fixture.keys.full}&access_token=${fixture.keys.full}`),
      either('unauthorized', undefined),
    );
  });
  test('auth: a revoked key is 401 api_key_revoked', async () => {
    expect401(await call('GET /v1/account', { key: 'revoked' }), 'api_key_revoked');
  });
  test('auth: an expired key is 401 api_key_expired', async () => {
    expect401(await call('GET /v1/account', { key: 'expired' }), 'api_key_expired');
  });
  decided('auth: a revoked key with one letter changed is reported as unknown', async () => {
    // Decisions: api_key_revoked and api_key_expired only when the secret matched
    expect401(
      await call('GET /v1/account', { headers: { authorization: `Bearer ${spoil(fixture.keys.revoked)}` } }),
      'invalid_api_key',
    );
  });
  decided('auth: credentials are checked before the request', async () => {
    expect401(await call('POST /v1/generations', { json: { nonsense: true } }), 'unauthorized');
    expect401(await call(`GET /v1/generations/${UNKNOWN_ID}`), 'unauthorized');
  });
  decided('auth: the scope is checked before the existence of a resource', async () => {
    expectProblem(await call(`GET /v1/generations/${UNKNOWN_ID}`, { key: 'uploads' }), 403, 'insufficient_scope');
    expectProblem(await call(`GET /v1/assets/${UNKNOWN_ID}`, { key: 'uploads' }), 403, 'insufficient_scope');
  });

  // Decisions, account_locked: quote, submit and upload are refused; read, cancel and account still work
  for (const operation of OPERATIONS.filter((each) =>
    ['POST /v1/quotes', 'POST /v1/generations', 'POST /v1/uploads'].includes(each.name),
  )) {
    decided(`auth: ${operation.name} with a locked account is 403 account_locked`, async () => {
      expectProblem(await send(operation, { key: 'locked' }), 403, 'account_locked');
    });
  }
  for (const path of ['/v1/generations', '/v1/generations/concurrency', '/v1/account']) {
    decided(`auth: a locked account can still read ${path}`, async () => {
      expectOk(await call(`GET ${path}`, { key: 'locked' }), 200);
    });
  }
  decided('auth: a locked account can still cancel', async () => {
    expectProblem(await cancel(UNKNOWN_ID, 'locked'), 404, 'not_found');
  });

  // Decisions, ids in paths. The specification gives both operations 403 and 404.
  const hidden = either([404, 'not_found'], [[403, 404]]);
  test("auth: another account's generation is 404, never 403", async () => {
    expectProblem(await call(`GET /v1/generations/${ended.id}`, { key: 'other' }), ...hidden);
    expectProblem(await cancel(ended.id, 'other'), ...hidden);
  });
  test("auth: another account's output is 404, never 403", async () => {
    expectProblem(await call(`GET /v1/assets/${ended.outputs[0].id}`, { key: 'other' }), ...hidden);
  });
  test('auth: two keys of one account see the same generation', async () => {
    const made = await submit(imageBody(), { key: 'full2' });
    assert.equal(
      expectOk(await call(`GET /v1/generations/${made.id}`, { key: 'full' }), 200, schema.generation).id,
      made.id,
    );
  });
});
