import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explainAnswer, explainError } from './explain-answer.ts';

const MAX_MESSAGE_LENGTH = 400;

test('any message of a backend becomes one short, printable line', () => {
  const body = fc.oneof(
    fc.json(),
    fc.string(),
    fc.string({ unit: 'binary' }).map((message) => JSON.stringify({ error: { message } })),
  );
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 999 }), body, (status, text) => {
      const { message } = explainAnswer({ status, text });
      return message.length > 0 && message.length <= MAX_MESSAGE_LENGTH && !/[\p{C}\n]/u.test(message);
    }),
    { numRuns: 2_000 },
  );
  fc.assert(fc.property(fc.jsonValue(), (error) => explainError(error).message.length <= MAX_MESSAGE_LENGTH));
});

test.each([
  ['NSFW content detected in all images', 'content_policy'],
  ['The input was flagged as sensitive. (E005)', 'content_policy'],
  ['blocked by the safety checker', 'content_policy'],
  ['safety pin not found', 'internal'],
  ['content length mismatch', 'internal'],
  [{ code: 'moderation_blocked', message: 'x' }, 'content_policy'],
  [undefined, 'internal'],
])('an error of %j is %s', (error, code) => {
  expect(explainError(error).code).toBe(code);
});
