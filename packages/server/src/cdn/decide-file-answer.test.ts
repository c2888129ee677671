import { describe, expect, test } from 'vitest';
import { asksForDate, decideFileAnswer } from './decide-file-answer.ts';
import { parseHttpDate } from './parse-http-date.ts';
import { parseRange } from './parse-range.ts';

const etag = '"abc"';
const lastModified = new Date('2026-01-02T03:04:05.678Z');
const decide = (headers: Record<string, string>, method = 'GET') =>
  decideFileAnswer({ method, headers, bytes: 100, etag, lastModified: asksForDate(headers) ? lastModified : null });

describe('parseHttpDate', () => {
  test('parses the three HTTP date formats and nothing else', () => {
    expect(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT')).toBe(784_111_777);
    expect(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT')).toBe(784_111_777);
    expect(parseHttpDate('Sun Nov  6 08:49:37 1994')).toBe(784_111_777);
    const others = ['', '0', '1994-11-06T08:49:37Z', '06 Nov 1994', 'Sun, 06 Nov 1994 08:49:37 PST', 'tomorrow'];
    for (const text of others) expect(parseHttpDate(text), text).toBeNull();
    expect(parseHttpDate('Sun, 99 Nov 1994 08:49:37 GMT')).toBeNull();
  });
});

describe('parseRange', () => {
  test('stays fast on a header of maximum length', () => {
    const startedAt = performance.now();
    expect(parseRange(`bytes=${' '.repeat(16_000)}x`, 100)).toEqual({ kind: 'unsatisfiable' });
    expect(parseRange(`bytes=${'1'.repeat(16_000)}-`, 100)).toEqual({ kind: 'unsatisfiable' });
    expect(parseRange(`bytes=${'200-,'.repeat(3_000)}5-6`, 100)).toEqual({ kind: 'part', start: 5, end: 6 });
    expect(performance.now() - startedAt).toBeLessThan(100);
  });
});

describe('decideFileAnswer', () => {
  test('dates are compared in whole seconds', () => {
    expect(decide({ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' })).toEqual({ status: 304 });
    expect(decide({ 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' })).toEqual({ status: 200 });
    expect(decide({ 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' })).toEqual({ status: 200 });
    expect(decide({ 'if-unmodified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' })).toEqual({ status: 412 });
    const ranged = { range: 'bytes=1-2', 'if-range': 'Fri, 02 Jan 2026 03:04:05 GMT' };
    expect(decide(ranged)).toEqual({ status: 206, start: 1, end: 2 });
    expect(decide({ ...ranged, 'if-range': 'Fri, 02 Jan 2026 03:04:06 GMT' })).toEqual({ status: 200 });
  });

  test('the date is read from the store only when it decides', () => {
    expect(asksForDate({})).toBe(false);
    expect(asksForDate({ range: 'bytes=0-1' })).toBe(false);
    expect(asksForDate({ 'if-none-match': etag, 'if-modified-since': 'x' })).toBe(false);
    expect(asksForDate({ 'if-match': etag, 'if-unmodified-since': 'x' })).toBe(false);
    expect(asksForDate({ range: 'bytes=0-1', 'if-range': etag })).toBe(false);
    expect(asksForDate({ 'if-range': 'x' })).toBe(false);
    expect(asksForDate({ 'if-modified-since': 'x' })).toBe(true);
    expect(asksForDate({ 'if-unmodified-since': 'x' })).toBe(true);
    expect(asksForDate({ range: 'bytes=0-1', 'if-range': 'x' })).toBe(true);
  });

  test('ranges apply to GET only', () => {
    expect(decide({ range: 'bytes=0-1' }, 'HEAD')).toEqual({ status: 200 });
    expect(decide({ range: 'bytes=500-' }, 'HEAD')).toEqual({ status: 200 });
    expect(decide({ 'if-none-match': etag }, 'HEAD')).toEqual({ status: 304 });
  });
});
