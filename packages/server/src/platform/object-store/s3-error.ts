import { ObjectStoreUnavailable } from './object-store.ts';

// Answers in the 400s that speak of the store's state, not of our request.
const PASSING_REFUSALS: ReadonlySet<string> = new Set(['RequestTimeout', 'NoSuchBucket']);

/** An answer, or the error that it stands for. */
export async function asked<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw toS3Error(error);
  });
}

/** The same where the object may not be there. A missing bucket is not a missing object. */
export async function found<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket') return null;
    throw toS3Error(error);
  });
}

/** No answer, an answer cut off, a fault of the server or "slow down": unavailable. Anything else is ours and stays. */
export function toS3Error(error: unknown): unknown {
  const status = statusOf(error);
  const name = nameOf(error);
  if (name === 'AbortError' || error instanceof TypeError) return error;
  if (status === 416) return new RangeError('the range starts beyond the object');
  if (status === undefined) {
    const { code } = error as { code?: unknown };
    if (typeof code !== 'string' && name !== 'TimeoutError') return error;
    return new ObjectStoreUnavailable(`the object store does not answer (${name})`, { cause: error });
  }
  const refused = status >= 300 && status < 500 && status !== 429 && !PASSING_REFUSALS.has(name);
  return refused
    ? error
    : new ObjectStoreUnavailable(`the object store answered ${status} (${name})`, { cause: error });
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function nameOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(typeof code === 'string' ? code : (name ?? 'Error'));
}
