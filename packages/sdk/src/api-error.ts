/** The parent of every error that this package throws, except for the reason of an aborted signal. */
export class AtelierError extends Error {
  override get name(): string {
    return 'AtelierError';
  }
}

export interface Issue {
  readonly path: string;
  readonly message: string;
}

export interface ApiErrorFacts<Code extends string> {
  readonly status: number;
  readonly code: Code;
  readonly title: string;
  readonly detail: string;
  readonly issues: readonly Issue[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;
}

/** The service refused the request. Each problem code has its own class; branch on the class or on `code`. */
export class ApiError<Code extends string = string> extends AtelierError {
  readonly status: number;
  /** The stable code, or `http_<status>` if the response is not from the service. */
  readonly code: Code;
  readonly title: string;
  readonly detail: string;
  /** What is wrong with each field. */
  readonly issues: readonly Issue[];
  /** Quote it when you ask for help. */
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(facts: ApiErrorFacts<Code>) {
    const issues = facts.issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
    super(`${facts.status} ${facts.code}: ${facts.detail}${issues === '' ? '' : ` (${issues})`}`);
    this.status = facts.status;
    this.code = facts.code;
    this.title = facts.title;
    this.detail = facts.detail;
    this.issues = facts.issues;
    this.requestId = facts.requestId;
    this.retryAfterSeconds = facts.retryAfterSeconds;
  }

  override get name(): string {
    return 'ApiError';
  }
}
