import { PUBLIC_PROBLEM_CODES } from '@atelier/contract';
import { expect, test } from 'vitest';
import { adviseAgent } from './agent-advice.ts';

/** An agent calls tools: it sends no headers and chooses no paths. */
const HTTP =
  /header|idempotency|retry-after|authorization|bearer|instance|\b(GET|POST) \/|`detail`|`issues`|JSON body/i;

test.each(PUBLIC_PROBLEM_CODES)('the advice for %s is for an agent', (code) => {
  expect(adviseAgent(code)).not.toMatch(HTTP);
});
