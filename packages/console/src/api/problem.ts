import type { ProblemBody, ProblemCode } from '@atelier/contract';

/** A refusal of the server, or no answer at all. */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly body: ProblemBody | null;
  readonly retryAfterSeconds: number | null;

  constructor(body: ProblemBody | null, retryAfterSeconds: number | null = null) {
    super(body?.detail ?? 'No answer from the server');
    this.body = body;
    this.retryAfterSeconds = retryAfterSeconds;
  }

  get code(): ProblemCode | null {
    return (this.body?.code as ProblemCode | undefined) ?? null;
  }
}

export async function readProblem(response: Response): Promise<ApiProblem> {
  const retryAfter = Number(response.headers.get('retry-after'));
  const body: unknown = await response.json().catch(() => null);
  return new ApiProblem(isProblem(body) ? body : null, retryAfter > 0 ? retryAfter : null);
}

function isProblem(body: unknown): body is ProblemBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'title' in body && 'detail' in body;
}
