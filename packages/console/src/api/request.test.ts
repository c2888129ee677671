import { expect, test } from 'vitest';
import { buildUrl } from './request.ts';

test('fills the path and the query', () => {
  const url = buildUrl('/api/accounts/{accountId}/webhooks/{endpointId}/deliveries', {
    params: { accountId: 'a', endpointId: 'e' },
    query: { limit: 20, status: undefined },
  });
  expect(url).toBe('/api/accounts/a/webhooks/e/deliveries?limit=20');
});

test('serves paths of the public API per account', () => {
  expect(buildUrl('/v1/generations/{id}', { params: { accountId: 'a', id: 'g' } })).toBe(
    '/api/accounts/a/v1/generations/g',
  );
});

test('a value cannot leave its place in the path', () => {
  expect(buildUrl('/v1/assets/{id}', { params: { accountId: 'a', id: '../keys?x#y' } })).toBe(
    '/api/accounts/a/v1/assets/..%2Fkeys%3Fx%23y',
  );
});
