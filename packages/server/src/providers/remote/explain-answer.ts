import type { FailureCode } from '@atelier/contract';
import { printableExcerpt } from '../../platform/text.ts';

const MAX_EXCERPT_BYTES = 300;
const CONTENT_CODES = new Set([
  'moderation_blocked',
  'content_policy_violation',
  'content_filter',
  'content_policy',
  'safety_violation',
  'sexual_content',
]);
const CREDENTIAL_STATUSES = new Set([401, 402, 403, 407]);
const REQUEST_STATUSES = new Set([400, 413, 415, 422]);
const ABSENT_STATUSES = new Set([404, 405, 410, 501]);

export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
  readonly retryable: boolean;
}

/** Translates an error response. Understands `{error: {...}}` and FastAPI's `{detail}`. */
export function explainAnswer({ status, text }: { status: number; text: string }): Failure {
  const { codes, message } = readError(text);
  if (codes.some((code) => CONTENT_CODES.has(code))) return contentRefused();
  const reason = message === '' ? '' : `: ${message}`;
  if (REQUEST_STATUSES.has(status))
    return { code: 'invalid_input', message: `The backend rejected the request${reason}`, retryable: false };
  if (CREDENTIAL_STATUSES.has(status) || codes.includes('insufficient_quota'))
    return { code: 'unavailable', message: 'The backend rejected our credentials.', retryable: false };
  if (ABSENT_STATUSES.has(status))
    return { code: 'unavailable', message: 'The backend does not have what the route requests.', retryable: false };
  if (status === 429 || status === 409 || status === 408 || status === 425)
    return { code: 'unavailable', message: 'The backend is busy.', retryable: true };
  if (status === 502 || status === 503 || status === 504)
    return { code: 'unavailable', message: 'The backend is unavailable.', retryable: true };
  return { code: 'internal', message: `The backend failed with status ${status}.`, retryable: status >= 500 };
}

export function contentRefused(): Failure {
  return {
    code: 'content_policy',
    message: 'Refused by the content policy, as reported by the backend.',
    retryable: false,
  };
}

/** Translates an error inside a successful response: a failed video, a failed prediction. */
export function explainError(error: unknown): Failure {
  const { codes, message } = readError(JSON.stringify({ error }));
  if (codes.some((code) => CONTENT_CODES.has(code)) || looksLikePolicy(message)) return contentRefused();
  return {
    code: 'internal',
    message: message === '' ? 'The backend failed.' : `The backend failed: ${message}`,
    retryable: false,
  };
}

/** Some backends have no error code for content policy. Only plain statements of a safety check count. */
function looksLikePolicy(message: string): boolean {
  return /\bnsfw\b|content (policy|moderation)|flagged as sensitive|safety (checker|filter|system)|sensitive content/i.test(
    message,
  );
}

function readError(text: string): { codes: string[]; message: string } {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { codes: [], message: '' };
  }
  const { error, detail, message } = asRecord(body);
  const inner = asRecord(error);
  const issue = asRecord(Array.isArray(detail) ? detail[0] : undefined);
  const codes = [inner.code, inner.type, issue.type, asRecord(detail).code, asRecord(body).code].filter(
    (each) => typeof each === 'string',
  );
  const candidates = [
    inner.message,
    error,
    asRecord(detail).message,
    asRecord(detail).msg,
    firstIssue(detail),
    detail,
    message,
  ];
  const found = candidates.find((each) => typeof each === 'string' && each !== '');
  return { codes, message: typeof found === 'string' ? excerpt(found) : '' };
}

/** FastAPI returns a list of issues: `[{loc, msg, type}]`. */
function firstIssue(detail: unknown): string | undefined {
  if (!Array.isArray(detail) || detail.length === 0) return undefined;
  const { loc, msg } = asRecord(detail[0]);
  const place = Array.isArray(loc) ? loc.filter((each) => each !== 'body').join('.') : '';
  return typeof msg === 'string' ? `${place === '' ? '' : `${place} `}${msg}` : undefined;
}

/** Short, on one line and printable, for the operator. */
export function excerpt(text: string): string {
  return printableExcerpt(Buffer.from(text), { maxBytes: MAX_EXCERPT_BYTES }).replace(/\s+/g, ' ').trim();
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
