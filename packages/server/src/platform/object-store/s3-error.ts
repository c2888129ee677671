import { ObjectStoreUnavailable } from './object-store.ts';

// Responses in the 400s that describe the state of the store, not our request.
const PASSING_REFUSALS: ReadonlySet<string> = new Set(['RequestTimeout', 'NoSuchBucket']);

/** The response, with errors translated. */
export async function asked<T>(answer: Promise<T>): Promise<T> {
  return answer.catch((error: unknown) => {
    throw toS3Error(error);
  });
}

/** The same, with null for a missing object. A missing bucket is not a missing object. */
export async function found<T>(answer: Promise<T>): Promise<T | null> {
  return answer.catch((error: unknown) => {
    if (statusOf(error) === 404 && nameOf(error) !== 'NoSuchBucket') return null;
    throw toS3Error(error);
  });
}

/** No response, a truncated one, a server error or "slow down" mean unavailable. Other errors are returned unchanged. */
export function toS3Error(error: unknown): unknown {
  const status = statusOf(error);
  const name = nameOf(error);
  if (name === 'AbortError' || error instanceof TypeError) return error;
  if (status === 416) return new RangeError('the range starts beyond the object');
  if (status === undefined) {
    const { code } = error as { code?: unknown };
    if (typeof code !== 'string' && name !== 'TimeoutError') return error;
    return new ObjectStoreUnavailable(`object store did not respond (${name})`, { cause: error });
  }
  const refused = status >= 300 && status < 500 && status !== 429 && !PASSING_REFUSALS.has(name);
  return refused ? error : new ObjectStoreUnavailable(`object store returned ${status} (${name})`, { cause: error });
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function nameOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(typeof code === 'string' ? code : (name ?? 'Error'));
}
