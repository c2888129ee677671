import { ObjectStoreUnavailable } from './object-store.ts';

/**
 * Refusals that describe the store, its clock, its quotas or our credentials, and not the request. All of 401 and 403 are
 * such; these codes come with another status. A response to HEAD has no body and so no code: the SDK calls it Unknown.
 */
const REFUSALS_OF_STORE: ReadonlySet<string> = new Set([
  'RequestTimeout',
  'NoSuchBucket',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidIdentityToken',
  'InvalidToken',
  'TokenRefreshRequired',
  'AuthorizationHeaderMalformed',
  'AuthorizationQueryParametersError',
  'IllegalLocationConstraintException',
  'OperationAborted',
  'QuotaExceeded',
  'XMinioAdminBucketQuotaExceeded',
  'XMinioStorageFull',
  'Unknown',
]);
const REFUSED_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);
const NO_CREDENTIALS: ReadonlySet<string> = new Set(['CredentialsProviderError', 'TokenProviderError']);

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

/**
 * No response, a truncated one, a server error, "slow down", and refused or missing credentials mean unavailable. Other
 * errors are returned unchanged.
 */
export function toS3Error(error: unknown): unknown {
  const status = statusOf(error);
  const name = nameOf(error);
  if (name === 'AbortError' || error instanceof TypeError) return error;
  if (status === 416) return new RangeError('the range starts beyond the object');
  if (status === undefined) {
    const { code } = error as { code?: unknown };
    if (NO_CREDENTIALS.has(name))
      return new ObjectStoreUnavailable('no credentials for the object store', { cause: error });
    if (typeof code !== 'string' && name !== 'TimeoutError') return error;
    return new ObjectStoreUnavailable(`object store did not respond (${name})`, { cause: error });
  }
  // A redirect leads to another endpoint or region: S3_ENDPOINT or S3_REGION is wrong.
  const isOfRequest = status >= 400 && status < 500 && !REFUSED_STATUSES.has(status) && !REFUSALS_OF_STORE.has(name);
  return isOfRequest
    ? error
    : new ObjectStoreUnavailable(`object store returned ${status} (${name})`, { cause: error });
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function nameOf(error: unknown): string {
  const { code, name } = error as { code?: unknown; name?: unknown };
  return String(typeof code === 'string' ? code : (name ?? 'Error'));
}
