import { expect, test } from 'vitest';
import { type OperationRow, operations } from './operations.ts';

const rows: Array<[string, OperationRow]> = Object.entries(operations);

test.each(rows)('%s declares the problems of its guards, and only those', (_id, row) => {
  const declares = (code: OperationRow['problems'][number]) => row.problems.includes(code);
  expect(declares('maintenance')).toBe(row.switched === true);
  expect(declares('channel_disabled')).toBe(row.switched === true);
  expect(declares('account_locked')).toBe(row.locked === true);
  expect(declares('unauthorized')).toBe(row.scope !== null);
  expect(declares('idempotency_key_required')).toBe(row.idempotent === true);
});

test('what is guarded also asks for a key', () => {
  expect(rows.filter(([, row]) => row.scope === null && (row.switched ?? row.locked) === true)).toEqual([]);
});
