import { describe, expect, test } from 'vitest';
import { isDatabaseUnavailable } from './db.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

describe('isDatabaseUnavailable', () => {
  test.each([
    '57P01',
    '57P03',
    '53300',
    '55P03',
    '57014',
    '40001',
    '25006',
    '08006',
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
  ])('%s means unavailable', (code) => expect(isDatabaseUnavailable(withCode(code))).toBe(true));

  test.each([
    'Connection terminated unexpectedly',
    'Connection terminated due to connection timeout',
    'timeout exceeded when trying to connect',
    'Client has encountered a connection error and is not queryable',
  ])('%s means unavailable', (message) => expect(isDatabaseUnavailable(new Error(message))).toBe(true));

  test.each(['23505', '22021', '42P01', '22P02', '23514', 'ERR_ASSERTION'])('%s is an internal error', (code) => {
    expect(isDatabaseUnavailable(withCode(code))).toBe(false);
  });

  test('any other error is an internal error', () => {
    for (const thrown of [null, undefined, 'x', new Error('x'), { code: 5 }])
      expect(isDatabaseUnavailable(thrown)).toBe(false);
  });
});
