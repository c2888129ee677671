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
