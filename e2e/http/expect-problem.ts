import { Problem, type ProblemCode, problems } from '@atelier/contract';
import { Compile } from 'typebox/compile';
import { expect } from 'vitest';

const schema = Compile(Problem);

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Checks a problem against the contract: known code, matching status and media type, no internal details. */
export function expectProblem(answer: Answered, wanted: { status?: number; code?: ProblemCode } = {}): void {
  expect(answer.headers['content-type']).toMatch(/^application\/problem\+json\b/);
  const body = JSON.parse(answer.text) as Record<string, unknown>;
  expect([...schema.Errors(body)], answer.text).toEqual([]);
  expect(Object.keys(problems), answer.text).toContain(body.code);
  expect(body.status, 'status in body and response').toBe(answer.status);
  expect(body.instance).toMatch(/^[0-9a-f-]{36}$/);
  expect(answer.headers['x-request-id']).toBe(body.instance);
  expect(new URL(body.type as string).pathname).toBe(`/problems/${body.code}`);
  expect(answer.text, 'no stack trace and no file path').not.toMatch(/\bat .+\.[jt]s:\d|node_modules|packages\//);
  if (wanted.code !== undefined) expect(body.code, answer.text).toBe(wanted.code);
  if (wanted.status !== undefined) expect(answer.status, answer.text).toBe(wanted.status);
}
