import { type OperationId, type OperationRow, operations, type ProblemCode } from '@atelier/contract';
import { newApiKey } from '@atelier/server/domain/accounts/api-key.ts';
import fc from 'fast-check';
import { Compile } from 'typebox/compile';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { sized, TEST_SEED } from '../../test/size.ts';
import { makeAccount } from '../harness/account.ts';
import { type Answer, call, submit } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { answerInTime } from './answer-in-time.ts';
import { expectProblem } from './expect-problem.ts';
import type { Known } from './fuzz/known.ts';
import { type FuzzRequest, requestOf } from './fuzz/request-of.ts';
import { picture, upload } from './problems/world.ts';

const CASES = Number(process.env.FUZZ_CASES ?? sized({ ci: 60, full: 300 }));
const SEED = TEST_SEED;
/** A few dozen random requests may all be refused; more are sent until one succeeds. */
const MAX_ROUNDS = 10;
/** Sent concurrently, as clients do; a failure is shrunk to a single request. */
const AT_ONCE = 10;
/** Problems that any operation may return, declared or not. */
const AT_THE_DOOR: readonly ProblemCode[] = ['invalid_params', 'input_too_large', 'not_found'];

let stack: Stack;
let key: string;
let known: Known;
let description: { paths: Record<string, Record<string, { responses: Record<string, unknown> }>> };
const seen: Record<string, Record<string, number>> = {};

beforeAll(async () => {
  stack = await startStack({
    services: inject('services'),
    apis: 1,
    workers: 0,
    // Disables the limit on unknown keys, so that every request is handled like the first.
    env: { UNKNOWN_KEY_RATE_LIMIT: '1000000' },
  });
  const { url } = stack.api();
  key = (await makeAccount(stack, { coins: 1_000_000_000, runLimit: 1 })).key;
  const [models, effects, file, submitted] = await Promise.all([
    call(url, 'GET /v1/models'),
    call(url, 'GET /v1/effects'),
    upload(url, key, picture({ width: 16, height: 16 })),
    Promise.all([submit(url, { key }), submit(url, { key })]),
  ]);
  const { nextCursor } = (await call(url, 'GET /v1/generations?limit=1', { key })).body;
  known = {
    modelIds: models.body.models.map(({ id }: { id: string }) => id),
    effectIds: effects.body.effects.map(({ id }: { id: string }) => id),
    generationIds: submitted.map(({ body }) => body.id),
    assetIds: [file.body.id],
    resumableIds: [await uploadInPieces(url, picture({ width: 16, height: 16 }))],
    cursors: [nextCursor],
  };
  description = (await call(url, 'GET /openapi.json')).body;
});

afterAll(async () => {
  for (const [operation, statuses] of Object.entries(seen)) console.info(`${operation}: ${JSON.stringify(statuses)}`);
  await stack?.stop();
});

/** An upload whose only part has arrived. */
async function uploadInPieces(url: string, file: Buffer): Promise<string> {
  const { body } = await call(url, 'POST /v1/uploads/resumable', { key, json: { bytes: file.length } });
  const headers = { 'content-type': 'application/octet-stream' };
  const piece = await call(url, `PUT /v1/uploads/resumable/${body.id}?offset=0`, { key, headers, body: file });
  expect(piece.status, piece.text).toBe(200);
  return body.id;
}

function send(request: FuzzRequest): Promise<Answer> {
  const credentials = {
    good: `Bearer ${key}`,
    none: undefined,
    unknown: `Bearer ${newApiKey({ cell: 'c1', mode: 'test' }).key}`,
    nonsense: 'Bearer nonsense',
  }[request.auth];
  return answerInTime(() =>
    call(stack.api().url, `${request.method} ${request.path}`, {
      headers: { ...request.headers, ...(credentials === undefined ? {} : { authorization: credentials }) },
      ...(request.body === undefined ? {} : { body: request.body }),
    }),
  );
}

function judge(operation: OperationId, request: FuzzRequest, answer: Answer): void {
  const row: OperationRow = operations[operation];
  const { status } = answer;
  seen[operation] = { ...seen[operation], [status]: (seen[operation]?.[status] ?? 0) + 1 };
  expect(status, answer.text).toBeLessThan(500);
  if (row.scope !== null && request.auth !== 'good') expect(status, 'a key is required').toBe(401);
  if (status >= 400) {
    expectProblem(answer);
    expect([...row.problems, ...AT_THE_DOOR]).toContain(answer.body.code);
    return;
  }
  const responses = description.paths[row.path]?.[row.method.toLowerCase()]?.responses ?? {};
  expect(Object.keys(responses)).toContain(String(status));
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect([...responseCheckers[operation].Errors(answer.body)], answer.text).toEqual([]);
  if (row.scope !== null) expect(answer.headers['ratelimit-limit']).toBeDefined();
  const checker = bodyCheckers[operation];
  if (checker !== undefined) expect(checker.Check(request.value), 'only a valid body is accepted').toBe(true);
}

type Checkers = { [O in OperationId]: ReturnType<typeof Compile> };
const ids = Object.keys(operations) as OperationId[];
const rows: ReadonlyArray<readonly [OperationId, OperationRow]> = ids.map((id) => [id, operations[id]]);
const responseCheckers = Object.fromEntries(rows.map(([id, row]) => [id, Compile(row.response)])) as Checkers;
const bodyCheckers = Object.fromEntries(
  rows.flatMap(([id, row]) => (row.body === undefined ? [] : [[id, Compile(row.body)]])),
) as Partial<Checkers>;
const jsonOperations = rows
  .filter(([, row]) => row.multipart !== true && row.raw !== true && row.stream !== true)
  .map(([id]) => id);

describe(`${CASES} requests each, seed ${SEED}`, () => {
  test.each(jsonOperations)('%s', async (operation) => {
    const batches = fc.array(requestOf(operation, known), { minLength: AT_ONCE, maxLength: AT_ONCE });
    const served = () => Object.keys(seen[operation] ?? {}).some((status) => status.startsWith('2'));
    for (let round = 0; round === 0 || (round < MAX_ROUNDS && !served()); round += 1) {
      await fc.assert(
        fc.asyncProperty(batches, async (requests) => {
          const answers = await Promise.all(requests.map(send));
          for (const [n, answer] of answers.entries()) judge(operation, requests[n] as FuzzRequest, answer);
        }),
        { numRuns: Math.ceil(CASES / AT_ONCE), seed: SEED + round, endOnFailure: true },
      );
    }
    expect(served(), 'some requests succeeded').toBe(true);
  });

  test('the process did not restart, and the invariants hold', async () => {
    expect(stack.api().alive()).toBe(true);
    expect(stack.api().logs.join('')).not.toMatch(/"level":"error"/);
    await stack.assertBooks();
  });
});
