import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { deskExamples } from './examples.ts';
import { type DeskOperationId, type DeskOperationRow, deskOperations } from './operations.ts';

const rows = Object.entries(deskOperations) as Array<[DeskOperationId, DeskOperationRow]>;

test.each(rows)('%s declares the problems of its guards', (_id, row) => {
  expect(row.problems).toContain('sign_in_required');
  expect(row.problems).toContain('role_required');
  expect(row.problems.includes('cross_site_request')).toBe(row.method !== 'GET');
  expect(row.problems.includes('reauthentication_required')).toBe(row.fresh === true);
});

test.each(rows)(
  '%s is below the path of the desk, and every change but the trial of a price has a reason',
  (id, row) => {
    expect(row.path).toMatch(/^\/api\/desk\//);
    const named = [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect(Object.keys((row.params as { properties?: object } | undefined)?.properties ?? {})).toEqual(named);
    const required = (row.body as { required?: readonly string[] } | undefined)?.required ?? [];
    expect(required.includes('reason')).toBe(row.method !== 'GET' && id !== 'tryPrice');
  },
);

test.each(rows)('%s has an example that fits its schemas, and its body refuses unknown fields', (id, row) => {
  const example: Record<string, unknown> = { ...deskExamples[id] };
  for (const part of ['params', 'query', 'body', 'response'] as const) {
    const schema = row[part];
    expect(part in example).toBe(schema !== undefined);
    if (schema !== undefined) expect([...Compile(schema).Errors(example[part])]).toEqual([]);
  }
  if (row.body !== undefined) expect(Compile(row.body).Check({ ...(example.body as object), unknown: 1 })).toBe(false);
});

test('a reason is one line of text, and an adjustment is not zero', () => {
  const { body } = deskOperations.adjustCoins;
  const check = Compile(body);
  expect(check.Check({ coins: -5, reason: 'Chargeback' })).toBe(true);
  for (const wrong of [
    { coins: 0, reason: 'x' },
    { coins: 5, reason: '' },
    { coins: 5, reason: '  ' },
    { coins: 5, reason: 'a\nb' },
    { coins: 5 },
  ])
    expect(check.Check(wrong), JSON.stringify(wrong)).toBe(false);
});
