import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../platform/problem.ts';
import { MAX_BODY_BYTES, MAX_JSON_DEPTH, MAX_JSON_VALUES, parseJson } from './parse-json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));

function refusal(body: string | Buffer): Problem {
  try {
    parseJson(Buffer.from(body as string));
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const nested = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;
const list = (count: number) => `[${Array.from({ length: count }, () => '1').join(',')}]`;

describe('parseJson', () => {
  test('equals JSON.parse for unambiguous input', () => {
    const hazards = /\\u00[01]|\\[bfr]|\u007f|__proto__|constructor|prototype|\\ud[89a-f]/;
    const values = fc.jsonValue({ maxDepth: 5 }).filter((value) => !hazards.test(JSON.stringify(value)));
    fc.assert(
      fc.property(values, (value) => {
        const text = JSON.stringify(value);
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  test('an empty body is undefined', () => expect(parse('')).toBeUndefined());

  test.each(['{', 'NaN', "{'a':1}", '{"a":1,}', '\ufeff{}', '{}{}', ' '])('%j is not JSON', (text) => {
    expect(refusal(text)).toMatchObject({ code: 'invalid_params', issues: [{ path: '' }] });
  });

  test.each([
    ['a stray byte', [0xff]],
    ['an overlong NUL', [0xc0, 0x80]],
    ['half a character', [0xe2, 0x82]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('%s is not UTF-8', (_name, bytes) => {
    const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(refusal(body)).toMatchObject({
      code: 'invalid_params',
      message: 'The body is not valid: it must be UTF-8.',
    });
  });

  test('depth', () => {
    expect(parse(nested(MAX_JSON_DEPTH))).toBeDefined();
    expect(refusal(nested(MAX_JSON_DEPTH + 1)).code).toBe('input_too_large');
    expect(refusal('['.repeat(MAX_BODY_BYTES)).code).toBe('input_too_large');
    expect(parse(`{"a":"${'['.repeat(100)}"}`), 'brackets in strings do not count').toBeDefined();
    expect(parse(`{"a":"\\"${'['.repeat(100)}"}`), 'nor after an escaped quote').toBeDefined();
    expect(parse(`[${nested(MAX_JSON_DEPTH - 1)},${nested(MAX_JSON_DEPTH - 1)}]`), 'side by side').toBeDefined();
  });

  test('number of values', () => {
    expect(parse(list(MAX_JSON_VALUES))).toHaveLength(MAX_JSON_VALUES);
    expect(refusal(list(MAX_JSON_VALUES + 1)).code).toBe('input_too_large');
    expect(parse(`{"a":"${','.repeat(MAX_JSON_VALUES)}"}`), 'commas in strings do not count').toBeDefined();
  });

  test.each([
    ['{"a":1,"a":1}', 'a'],
    ['{"a":{"b":1,"c":2,"b":3}}', 'a.b'],
    ['{"a":[{},{"b":1,"\\u0062":2}]}', 'a[1].b'],
    ['{"a":{"x":1},"a":2}', 'a'],
    ['{"":1,"":2}', ''],
    ['{"a:b":1,"a:b":2}', 'a:b'],
  ])('%s has a duplicate member', (text, path) => {
    expect(refusal(text)).toMatchObject({
      code: 'invalid_params',
      issues: [{ path, message: 'must not be named twice' }],
    });
  });

  test('one name in two objects is not a duplicate', () => {
    expect(parse('{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"\\":"}')).toMatchObject({ a: { a: 1 } });
  });

  test('refuses duplicate members, and only those', () => {
    const names = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ':', '"', '\\', '{', ',') }), { maxLength: 6 });
    fc.assert(
      fc.property(names, (list) => {
        const text = `{${list.map((name, n) => `${JSON.stringify(name)}:${n}`).join(',')}}`;
        if (new Set(list).size === list.length) expect(parse(text)).toEqual(JSON.parse(text));
        else expect(refusal(text).issues?.[0]?.message).toBe('must not be named twice');
      }),
    );
  });

  test.each([
    ['{"__proto__":{"a":1}}', '__proto__'],
    ['{"\\u005f_proto__":1}', '__proto__'],
    ['{"a":{"constructor":1}}', 'a.constructor'],
    ['{"a":[{"prototype":1}]}', 'a[0].prototype'],
  ])('%s has a prototype name', (text, path) => {
    expect(refusal(text)).toMatchObject({ code: 'invalid_params', issues: [{ path, message: 'is not a field' }] });
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  test.each([
    ['{"a":"\\u0000"}', 'a'],
    ['{"a":["\\u001b"]}', 'a[0]'],
    ['{"a":"\\ud800"}', 'a'],
    ['{"a":"\\udc00\\ud800"}', 'a'],
    ['{"a":{"\\u0007":1}}', 'a'],
    ['{"a":1e400}', 'a'],
    ['[-1e400]', '[0]'],
  ])('%s has a value that cannot be stored', (text, path) => {
    expect(refusal(text)).toMatchObject({ code: 'invalid_params', issues: [{ path }] });
  });

  test.each(['\t', '\n', '\r', '\r\n', '\u00a0', 'é'])('tab, newline and carriage return are text: %j', (text) => {
    expect(parse(JSON.stringify({ a: text }))).toEqual({ a: text });
  });

  test.each(['\u0080', '\u0085', '\u009f', '\u007f', '\u000b', '\u000c'])(
    'control character %j is refused, also of C1',
    (text) => {
      expect(refusal(JSON.stringify({ a: text }))).toMatchObject({ code: 'invalid_params', issues: [{ path: 'a' }] });
    },
  );

  test('a long path is truncated in the response', () => {
    const { issues, message } = refusal(`{"${'k'.repeat(10_000)}":1e400}`);
    expect(issues?.[0]?.path).toHaveLength(200);
    expect(message.length).toBeLessThan(300);
  });
});
