import { CreateGenerationBody, CreateQuoteBody, ListGenerationsQuery } from '@atelier/contract';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../platform/problem.ts';
import { coerceQuery, createValidator } from './validate.ts';

const quote = createValidator(CreateQuoteBody, 'body');
const generation = createValidator(CreateGenerationBody, 'body');

function refusal(run: () => void): Problem {
  try {
    run();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

const issuesOf = (body: unknown) => refusal(() => quote(body)).issues;

describe('createValidator', () => {
  test('accepts what the schema allows', () => {
    quote({ modelId: 'canvas', params: { prompt: 'a', num_outputs: 2 }, draft: true });
    generation({ modelId: 'canvas', params: {}, maxCoins: 1, projectId: null, consent: true });
  });

  test('names every missing field', () => {
    expect(issuesOf({})).toEqual([
      { path: 'modelId', message: 'is required' },
      { path: 'params', message: 'is required' },
    ]);
  });

  test('names every unknown field with the closest known one, also when there are very many', () => {
    expect(issuesOf({ modelId: 'a', params: {}, drft: true, more: 1 })).toEqual([
      { path: 'drft', message: 'is not a known field; did you mean draft?' },
      { path: 'more', message: 'is not a known field' },
    ]);
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${n}`, 1]));
    const issues = issuesOf({ modelId: 'a', params: {}, ...many });
    expect(issues?.[0]).toEqual({ path: 'k0', message: 'is not a known field' });
  });

  test('names the path of a wrong value, once', () => {
    expect(issuesOf({ modelId: 1, params: {} })).toEqual([{ path: 'modelId', message: 'must be string' }]);
    expect(issuesOf(undefined)?.map(({ path }) => path)).toEqual(['']);
    const { issues } = refusal(() => generation({ modelId: 'a', params: {}, maxCoins: 0, consent: false }));
    expect(issues?.map(({ path }) => path)).toEqual(['maxCoins', 'consent']);
  });

  test("leaves the contents of params to the model's descriptors, which report all errors together", () => {
    quote({ modelId: 'a', params: { prompt: {}, colour: 1 } });
    for (const params of [[], 'x', 1, null]) {
      expect(issuesOf({ modelId: 'a', params })?.map(({ path }) => path)).toEqual(['params']);
    }
  });

  test('treats a slash or tilde as part of a name', () => {
    expect(issuesOf({ modelId: 'a', params: {}, 'a/b~c': 1 })?.[0]?.path).toBe('a/b~c');
  });

  test('truncates a long path', () => {
    expect(issuesOf({ modelId: 'a', params: {}, ['k'.repeat(10_000)]: 1 })?.[0]?.path).toHaveLength(200);
  });

  test('describes the first error in one sentence', () => {
    const { code, message } = refusal(() => quote({}));
    expect(code).toBe('invalid_params');
    expect(message).toBe('The body is not valid: modelId is required (and 1 more).');
  });
});

describe('coerceQuery', () => {
  const read = (query: Record<string, unknown>) => coerceQuery(ListGenerationsQuery, query);

  test('converts numbers and booleans by the schema, and fills in defaults', () => {
    expect(read({ limit: '5', active: 'true' })).toEqual({ limit: 5, active: true });
    expect(read({ active: 'false' })).toEqual({ limit: 30, active: false });
  });

  test.each(['1e2', '0x10', ' 1', '1.0', '', '９', '99999999999999999999'])(
    'leaves %j for the validator to refuse',
    (limit) => {
      expect(read({ limit }).limit).toBe(limit);
      expect(refusal(() => createValidator(ListGenerationsQuery, 'query')(read({ limit }))).code).toBe(
        'invalid_params',
      );
    },
  );

  test('keeps text that looks like a number', () => expect(read({ modelId: '5' }).modelId).toBe('5'));

  test.each(['\u0000', 'a\u001b', '\ud800'])('refuses %j, which the database cannot store', (modelId) => {
    expect(refusal(() => read({ modelId })).issues?.[0]?.path).toBe('modelId');
  });

  test('a prototype name is an unknown field', () => {
    const query = JSON.parse('{"__proto__":"1"}') as Record<string, unknown>;
    expect(refusal(() => createValidator(ListGenerationsQuery, 'query')(read(query))).issues).toEqual([
      { path: '__proto__', message: 'is not a known field' },
    ]);
  });
});
