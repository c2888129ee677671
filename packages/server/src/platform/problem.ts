import type { Issue, ProblemCode } from '@atelier/contract';

export interface ProblemOptions {
  readonly issues?: readonly Issue[];
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** The error that the domain throws. The contract's table defines its status; one handler reads it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly issues: readonly Issue[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.issues = options.issues;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

const MOVED_RETRY_SECONDS = 5;

/** The problem of an account that moves to another cell: a retry soon reaches that one. */
export function accountMoved(cause?: unknown): Problem {
  return new Problem('unavailable', 'This account is being moved. Nothing was charged.', {
    retryAfterSeconds: MOVED_RETRY_SECONDS,
    ...(cause === undefined ? {} : { cause }),
  });
}

/** The problem of an erased account. */
export function accountErased(cause?: unknown): Problem {
  return new Problem('invalid_params', 'This account was erased. It accepts nothing new.', { cause });
}

/**
 * The problem of a request with invalid values. Its detail names the first one: "The body is not valid: params.prompt is
 * required (and 2 more)."
 */
export function invalidParams(lead: string, issues: readonly Issue[], total = issues.length): Problem {
  const [first] = issues;
  if (first === undefined) return new Problem('invalid_params', `${lead}.`);
  const more = total > 1 ? ` (and ${total - 1} more)` : '';
  const place = first.path === '' ? 'it' : first.path;
  return new Problem('invalid_params', `${lead}: ${place} ${first.message}${more}.`, { issues });
}
