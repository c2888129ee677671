import { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createLog, errorFields, type LogFields, type LogLevel } from './log.ts';

function capture(level: LogLevel = 'debug') {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { log: createLog({ level, destination }), lines };
}

const only = (lines: readonly string[]) => {
  expect(lines).toHaveLength(1);
  return JSON.parse(lines[0] as string) as Record<string, unknown>;
};

describe('the log', () => {
  test('writes allowed fields', () => {
    const { log, lines } = capture();
    log.info('done', { accountId: 'a', count: 2, status: 'ok' });
    expect(only(lines)).toMatchObject({ level: 'info', msg: 'done', accountId: 'a', count: 2, status: 'ok' });
    expect(only(lines).time).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  test('drops every other field, also in child loggers and when a whole object is logged', () => {
    const { log, lines } = capture();
    const request = { prompt: 'secret', authorization: 'secret', body: { a: 'secret' }, headers: ['secret'] };
    log.child(request as LogFields).error('failed', { ...request, requestId: 'r' } as LogFields);
    expect(lines.join('')).not.toContain('secret');
    expect(only(lines).requestId).toBe('r');
  });

  test('writes one line per entry', () => {
    const { log, lines } = capture();
    log.warn('odd\nmessage', { reason: 'a\r\n{"level":"error"}\u001b[31m\u0000' });
    expect(lines[0]?.match(/\n/g)).toHaveLength(1);
    expect(lines[0]).not.toMatch(/\u001b|\u0000|\r/);
    expect(only(lines).level).toBe('warn');
  });

  test('truncates long values', () => {
    const { log, lines } = capture();
    log.info('long', { reason: 'a'.repeat(100_000) });
    expect(lines[0]?.length).toBeLessThan(3_000);
  });

  test('respects the log level', () => {
    const { log, lines } = capture('warn');
    log.debug('a');
    log.info('b');
    expect(lines).toEqual([]);
    log.warn('c');
    expect(only(lines).msg).toBe('c');
  });
});

describe('errorFields', () => {
  test('returns name, message, code and stack', () => {
    const error = Object.assign(new TypeError('broken'), {
      code: '23505',
      detail: 'Key (a)=(secret)',
      query: 'secret',
    });
    const fields = errorFields(error);
    expect(fields).toMatchObject({ errorName: 'TypeError', errorMessage: 'broken', errorCode: '23505' });
    expect(JSON.stringify(fields)).not.toContain('secret');
  });

  test('accepts any thrown value', () => {
    for (const thrown of [undefined, null, 'text', 5, { a: 1 }])
      expect(typeof errorFields(thrown).errorMessage).toBe('string');
  });
});
