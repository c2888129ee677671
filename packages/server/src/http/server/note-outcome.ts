import { type Issue, type OperationRow, operations, PARAM_NAMES } from '@atelier/contract';
import { type OpenaiOperationRow, openaiOperations } from '@atelier/contract/openai';
import type { FastifyRequest } from 'fastify';
import type { TSchema } from 'typebox';
import type { Problem } from '../../platform/problem.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The code of the problem in the response. */
    problemCode: string | null;
    /** Where its issues are, as far as the contract knows the names; null without issues. */
    issuePaths: readonly string[] | null;
    /** The generation that the request submitted, or whose original it returned. */
    generationId: string | null;
  }
}

const MAX_PATHS = 10;
const UNKNOWN = '(unknown)';
const HEADERS = ['Idempotency-Key', 'Content-Type', 'Content-Length', 'X-Max-Coins', 'X-Daily-Max-Coins', 'X-Consent'];

/** Every name that a path of an issue can have by the contract. Clients invent others, which may be anything. */
const KNOWN_NAMES: ReadonlySet<string> = new Set([
  ...PARAM_NAMES,
  ...HEADERS,
  ...['params', 'body', 'data', 'label', 'waitSeconds'],
  ...Object.values<OperationRow>(operations).flatMap((row) => namesOf(row.body, row.query, row.params)),
  ...Object.values<OpenaiOperationRow>(openaiOperations).flatMap((row) => [
    ...namesOf(row.body, row.query, row.params),
    ...Object.keys(row.files ?? {}),
  ]),
]);

function namesOf(...schemas: readonly (TSchema | undefined)[]): string[] {
  return schemas.flatMap((schema) =>
    Object.entries((schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {}).flatMap(
      ([name, property]) => [name, ...namesOf(property)],
    ),
  );
}

/** Remembers why a request is refused, for its line in the access log and for its trace. */
export function noteProblem(request: FastifyRequest, { code, issues = [] }: Problem): void {
  request.problemCode = code;
  const paths = new Set(issues.map(({ path }) => namePath(path)));
  request.issuePaths = paths.size === 0 ? null : [...paths].slice(0, MAX_PATHS);
}

function namePath(path: Issue['path']): string {
  const isKnown = path.split('.').every((part) => KNOWN_NAMES.has(part) || /^\d{1,4}$/.test(part));
  return isKnown ? path : UNKNOWN;
}
