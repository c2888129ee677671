import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { operations } from '../operations.ts';
import { consoleExamples } from './examples.ts';
import type { ConsoleOperationRow } from './operation-row.ts';
import { type ConsoleOperationId, consoleOperations } from './operations.ts';
import { SCOPE_ROLES, sessionPath } from './scope-roles.ts';
import { ROLES } from './session.ts';

const rows = Object.entries(consoleOperations) as Array<[ConsoleOperationId, ConsoleOperationRow]>;

test.each(rows)('%s declares the problems of its guards', (_id, row) => {
  const changes = row.method !== 'GET';
  expect(row.problems.includes('sign_in_required')).toBe(row.public !== true);
  expect(row.problems.includes('cross_site_request')).toBe(changes);
  expect(row.problems.includes('role_required')).toBe(row.roles !== null && row.roles.length < ROLES.length);
  expect(row.problems.includes('reauthentication_required')).toBe(row.fresh === true);
  if (row.roles !== null) expect(row.problems).toContain('not_found');
});

test('only the ways to sign in, and what a device without a session needs, are public', () => {
  expect(rows.filter(([, row]) => row.public === true).map(([id]) => id)).toEqual([
    'getSignIn',
    'createPairing',
    'redeemPairing',
  ]);
});

test.each(rows)('%s names its account in the path, and only then asks for a role', (_id, row) => {
  expect(row.path.startsWith('/api/accounts/{accountId}/')).toBe(row.roles !== null);
  const named = [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  expect(Object.keys((row.params as { properties?: object } | undefined)?.properties ?? {})).toEqual(named);
});

test.each(rows)('%s has an example that fits its schemas', (id, row) => {
  const example: Record<string, unknown> = { ...consoleExamples[id] };
  for (const part of ['params', 'query', 'body', 'response'] as const) {
    const schema = row[part];
    expect(part in example).toBe(schema !== undefined);
    if (schema !== undefined) expect([...Compile(schema).Errors(example[part])]).toEqual([]);
  }
});

test('a body refuses unknown fields', () => {
  for (const [id, row] of rows) {
    if (row.body === undefined) continue;
    const body = (consoleExamples[id] as unknown as { body: object }).body;
    expect(Compile(row.body).Check({ ...body, unknown: 1 }), id).toBe(false);
  }
});

test('no path of the console is a path of the public API for sessions', () => {
  const paths = new Set(rows.map(([, row]) => row.path));
  for (const row of Object.values(operations)) expect(paths.has(sessionPath(row.path))).toBe(false);
});

test('only owners and developers spend coins or store files', () => {
  expect(SCOPE_ROLES.generate).toEqual(['owner', 'developer']);
  expect(SCOPE_ROLES.uploads).toEqual(['owner', 'developer']);
});
