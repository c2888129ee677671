import type { ParamDescriptor } from '@atelier/contract';
import { describe, expect, test } from 'vitest';
import { judgeParam } from './judge-param.ts';
import { sampleParam } from './testing/sample-model.ts';

const ID = '0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14';

const messages = (descriptor: ParamDescriptor, value: unknown) =>
  judgeParam({ descriptor, value, path: 'p' }).map(({ path, message }) => `${path} ${message}`);

function table(descriptor: ParamDescriptor, rows: { good: unknown[]; bad: [unknown, ...string[]][] }): void {
  for (const value of rows.good) test(`takes ${tell(value)}`, () => expect(messages(descriptor, value)).toEqual([]));
  for (const [value, ...expected] of rows.bad) {
    test(`refuses ${tell(value)}`, () => expect(messages(descriptor, value)).toEqual(expected));
  }
}

const tell = (value: unknown) => `${typeof value} ${JSON.stringify(value) ?? String(value)}`.slice(0, 60);

describe('text: minLength and maxLength count Unicode code points', () => {
  table(sampleParam('prompt', { kind: 'text', minLength: 2, maxLength: 4 }), {
    good: ['ab', 'abcd', '😀😀', '😀😀😀😀'],
    bad: [
      ['a', 'p must have at least 2 characters'],
      ['abcde', 'p must have at most 4 characters'],
      ['😀', 'p must have at least 2 characters'],
      ['😀😀😀😀a', 'p must have at most 4 characters'],
      [7, 'p must be a string'],
      [null, 'p must be a string'],
      [['ab'], 'p must be a string'],
    ],
  });
  test('an optional text may be empty, a required one may not', () => {
    expect(messages(sampleParam('prompt', { kind: 'text', maxLength: 4 }), '')).toEqual([]);
    const required = sampleParam('prompt', { kind: 'text', maxLength: 4, required: true });
    expect(messages(required, '')).toEqual(['p must not be empty']);
  });
});

describe('enum', () => {
  const choices = 'p must be one of "a", 2, true';
  table(sampleParam('style', { kind: 'enum', values: ['a', 2, true] }), {
    good: ['a', 2, true],
    bad: [
      ['A', choices],
      ['2', choices],
      ['true', choices],
      [1, choices],
      [false, choices],
      [['a'], choices],
      [null, choices],
    ],
  });
  test('a long list of values is not part of the message', () => {
    const values = Array.from({ length: 13 }, (_, index) => index);
    expect(messages(sampleParam('fps', { kind: 'enum', values }), 99)).toEqual([
      'p is not one of the values of this param',
    ]);
  });
});

describe('range', () => {
  table(sampleParam('speed', { kind: 'range', min: 0.5, max: 2, step: 0.1 }), {
    good: [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.3, 1.9, 2],
    bad: [
      [0.4, 'p must be at least 0.5'],
      [2.1, 'p must be at most 2'],
      [0.55, 'p must be 0.5 plus a multiple of 0.1'],
      [1.00001, 'p must be 0.5 plus a multiple of 0.1'],
      ['1', 'p must be a number'],
      [true, 'p must be a number'],
      [Number.NaN, 'p must be a number'],
      [Number.POSITIVE_INFINITY, 'p must be a number'],
    ],
  });
  table(sampleParam('num_outputs', { kind: 'range', min: 1, max: 4, step: 1 }), {
    good: [1, 4],
    bad: [
      [0, 'p must be at least 1'],
      [5, 'p must be at most 4'],
      [1.5, 'p must be 1 plus a multiple of 1'],
    ],
  });
});

describe('seed', () => {
  const message = 'p must be a whole number from 0 to 100';
  table(sampleParam('seed', { kind: 'seed', max: 100 }), {
    good: [0, 1, 100],
    bad: [
      [-1, message],
      [101, message],
      [0.5, message],
      ['1', message],
      [Number.NaN, message],
    ],
  });
});

describe('media', () => {
  const message = 'p must be the id of an upload';
  table(sampleParam('image', { kind: 'media', accept: 'image' }), {
    good: [ID],
    bad: [
      [ID.toUpperCase(), message],
      [`${ID}0`, message],
      [`${ID}\n`, message],
      ['', message],
      ['https://example.com/a.png', message],
      [[ID], message],
      [1, message],
    ],
  });
});

describe('media_list', () => {
  table(sampleParam('images', { kind: 'media_list', accept: 'image', minItems: 1, maxItems: 2 }), {
    good: [[ID], [ID, ID]],
    bad: [
      [[], 'p must have at least 1 items'],
      [[ID, ID, ID], 'p must have at most 2 items'],
      [ID, 'p must be an array of upload ids'],
      [[ID, 'x'], 'p.1 must be the id of an upload'],
      [[1, null], 'p.0 must be the id of an upload', 'p.1 must be the id of an upload'],
    ],
  });
});
