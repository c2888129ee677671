import { readFile } from 'node:fs/promises';
import { type OperationId, operations, type ProblemCode, problems } from '@atelier/contract';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import type { Answer } from '../harness/client.ts';
import { expectProblem } from './expect-problem.ts';
import { type Outage, provokeOutage } from './problems/outage.ts';
import { createProvocations } from './problems/provocations.ts';
import { createWorld, type Provoke, type World } from './problems/world.ts';

const OPENAPI = new URL('../../packages/contract/openapi.json', import.meta.url);

let world: World;
let outage: Outage;

beforeAll(async () => {
  [world, outage] = await Promise.all([createWorld(inject('services')), provokeOutage()]);
});

afterAll(() => world?.stop());

const provocations = createProvocations(async (operation) => outage.answers.get(operation) as Answer);

/** Codes with a Retry-After header. */
const TIMED: readonly ProblemCode[] = ['rate_limited', 'cooldown', 'unavailable', 'maintenance', 'channel_disabled'];
const RATE_HEADERS = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset', 'ratelimit-policy'];

/** The messages that were answered, by code. */
const details = new Map<string, string[]>();
/** A message without what differs between requests: numbers, names of models and scopes. */
const wordsOf = (detail: string) =>
  detail.replace(/\d+(\.\d+)?/g, '0').replace(/\b(model|scope|Model) [a-z][\w-]*/g, '$1 x');

for (const operation of Object.keys(operations) as OperationId[]) {
  describe(operation, () => {
    const codes = operations[operation].problems as readonly ProblemCode[];
    const table = provocations[operation] as Readonly<Record<string, Provoke>>;

    test('exactly the declared problems are tested', () => {
      expect(Object.keys(table).sort()).toEqual([...codes].sort());
    });

    for (const code of codes) {
      const { status } = problems[code];
      test(`${status} ${code}`, async () => {
        const answer = await (table[code] as Provoke)(world);
        expectProblem(answer, { status, code });
        details.set(code, [...(details.get(code) ?? []), wordsOf(answer.body.detail)]);
        if (status === 401) expect(answer.headers['www-authenticate']).toMatch(/^Bearer\b/);
        if (TIMED.includes(code)) expect(String(answer.headers['retry-after'])).toMatch(/^[1-9]\d*$/);
        if (code === 'rate_limited') {
          for (const name of RATE_HEADERS) expect(answer.headers[name], name).toBeDefined();
          expect(answer.headers['retry-after']).toBe(answer.headers['ratelimit-reset']);
          expect(answer.headers['ratelimit-policy']).toBe('1;w=60');
        }
      });
    }
  });
}

test('the examples of problems show messages that the service sends', async () => {
  const document = JSON.parse(await readFile(OPENAPI, 'utf8'));
  const shown = [...details].filter(([code, seen]) => {
    return !seen.includes(wordsOf(document.components.examples[code].value.detail));
  });
  expect(Object.fromEntries(shown)).toEqual({});
});

test('the service recovers from the outage by itself', () => {
  expect(outage.recovered.status).toBe(200);
});

test('no refusal moved coins', () => world.stack.assertBooks());
