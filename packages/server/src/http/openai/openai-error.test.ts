import { PUBLIC_PROBLEM_CODES } from '@atelier/contract';
import { OpenaiErrorBody } from '@atelier/contract/openai';
import { Compile } from 'typebox/compile';
import { expect, test } from 'vitest';
import { outcomeUnknown } from '../../domain/generations/submit/submit-once.ts';
import { invalidParams, Problem } from '../../platform/problem.ts';
import { OpenaiRefusal, toOpenaiError } from './openai-error.ts';

test.each([
  ['unknown_model', 404, 'invalid_request_error', 'model_not_found', false],
  ['invalid_api_key', 401, 'authentication_error', 'invalid_api_key', false],
  ['insufficient_scope', 403, 'permission_error', 'insufficient_scope', false],
  ['insufficient_coins', 402, 'insufficient_quota', 'insufficient_quota', false],
  ['max_coins_exceeded', 409, 'invalid_request_error', 'max_coins_exceeded', false],
  ['rate_limited', 429, 'rate_limit_error', 'rate_limit_exceeded', true],
  ['unavailable', 503, 'server_error', 'unavailable', true],
  ['maintenance', 503, 'server_error', 'maintenance', false],
] as const)('%s is %i %s', (code, status, type, openaiCode, retry) => {
  expect(toOpenaiError(new Problem(code, 'Why.'))).toEqual({
    status,
    retry,
    body: { error: { message: 'Why.', type, param: null, code: openaiCode } },
  });
});

test('every problem has the shape that the clients read', () => {
  const shape = Compile(OpenaiErrorBody);
  for (const code of PUBLIC_PROBLEM_CODES)
    expect(shape.Check(toOpenaiError(new Problem(code, 'Why.')).body)).toBe(true);
});

test('issues name the fields of OpenAI instead of our params', () => {
  const problem = invalidParams('Invalid params', [
    { path: 'params.num_outputs', message: 'must be at most 4' },
    { path: 'params.images.0', message: 'must be the id of an upload' },
  ]);
  const { error } = toOpenaiError(problem).body;
  expect(error).toMatchObject({ param: 'n', code: 'invalid_value' });
  expect(error.message).toBe('The request is not valid: n must be at most 4; image must be the id of an upload.');
});

test('a refusal of this API keeps its own code and message', () => {
  const issues = [{ path: 'X-Max-Coins', message: 'is required' }];
  const { body } = toOpenaiError(new OpenaiRefusal('invalid_params', 'max_coins_required', 'No ceiling.', { issues }));
  expect(body.error).toEqual({
    message: 'No ceiling.',
    type: 'invalid_request_error',
    param: 'X-Max-Coins',
    code: 'max_coins_required',
  });
});

test('an internal error tells nothing but how to report it', () => {
  const { body } = toOpenaiError(new Problem('internal', 'secret'));
  expect(toOpenaiError(outcomeUnknown(null)).body.error.message).toContain('Send the same request again');
  expect(body.error.message).toContain('x-request-id');
});
