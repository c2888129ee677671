import { ApiError, type ApiErrorFacts } from './api-error.ts';
import { problemErrors } from './problem-errors.gen.ts';
import type { Problem } from './schemas.ts';

const MAX_DETAIL_CHARS = 500;

/** The error of a response: the class of its problem code, or ApiError if the code is new or the body is not a problem. */
export function readProblem(response: Response, text: string): ApiError {
  const problem = parseProblem(text);
  const facts: ApiErrorFacts<string> = {
    status: response.status,
    code: problem?.code ?? `http_${response.status}`,
    title: problem?.title ?? response.statusText,
    detail: problem?.detail ?? (text.slice(0, MAX_DETAIL_CHARS) || response.statusText || 'The response has no body'),
    issues: problem?.issues ?? [],
    requestId: response.headers.get('x-request-id') ?? problem?.instance ?? null,
    retryAfterSeconds: readRetryAfter(response.headers.get('retry-after')),
  };
  const Known = (Object.hasOwn(problemErrors, facts.code) ? problemErrors[facts.code as never] : ApiError) as new (
    facts: ApiErrorFacts<string>,
  ) => ApiError;
  return new Known(facts);
}

function parseProblem(text: string): Problem | null {
  try {
    const body = JSON.parse(text) as Problem | null;
    return typeof body?.code === 'string' ? body : null;
  } catch {
    return null;
  }
}

/** Seconds, or a date. */
function readRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : null;
}
