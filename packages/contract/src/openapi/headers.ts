import type { Header, Reference } from './document.ts';

/** Every response header of the API. */
export const headers = {
  'RateLimit-Limit': {
    description: 'Requests allowed in the window of the key or of the account: of the one with fewer requests left.',
    schema: { type: 'integer', minimum: 1 },
    example: 120,
  },
  'RateLimit-Remaining': {
    description: 'Requests left in that window.',
    schema: { type: 'integer', minimum: 0 },
    example: 117,
  },
  'RateLimit-Reset': {
    description: 'Seconds until that window resets.',
    schema: { type: 'integer', minimum: 0 },
    example: 42,
  },
  'RateLimit-Policy': {
    description: 'Limit and window: `<limit>;w=<seconds>`.',
    schema: { type: 'string', pattern: '^[0-9]+;w=[0-9]+$' },
    example: '120;w=60',
  },
  'Retry-After': {
    description: 'Seconds to wait before the next request.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  'WWW-Authenticate': {
    description: 'The authentication scheme.',
    schema: { type: 'string' },
    example: 'Bearer realm="atelier"',
  },
  'Idempotency-Replayed': {
    description:
      '`true` if the response is the result of an earlier request with the same key and body; otherwise absent.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  ETag: {
    description: 'Identifies this version of the response. Send it as `If-None-Match`.',
    schema: { type: 'string', pattern: '^"[A-Za-z0-9_-]{22}"$' },
    example: '"mq1Tz0hYw8nVJ4rK2cXa5g"',
  },
  'Cache-Control': {
    description: 'How long the response may be reused, also by shared caches.',
    schema: { type: 'string' },
    example: 'public, max-age=60',
  },
  Deprecation: {
    description: 'Deprecated models only: the deprecation date as `@<unix seconds>` (RFC 9745).',
    schema: { type: 'string', pattern: '^@-?[0-9]+$' },
    example: '@1767225600',
  },
  Sunset: {
    description:
      'Deprecated models only: the removal date as an HTTP date (RFC 8594). After it, the model is `unknown_model`.',
    schema: { type: 'string' },
    example: 'Sun, 01 Mar 2026 00:00:00 GMT',
  },
  Link: {
    description: 'Deprecated models with a replacement only: its path, with `rel="successor-version"`.',
    schema: { type: 'string' },
    example: '</v1/models/real-esrgan-x2>; rel="successor-version"',
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

export const RATE_LIMIT_HEADERS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
] as const satisfies HeaderName[];

/** The headers of what changes only with the catalog. */
export const CACHE_HEADERS = ['ETag', 'Cache-Control'] as const satisfies HeaderName[];

/** The headers of a quote or submit of a deprecated model. */
export const DEPRECATION_HEADERS = ['Deprecation', 'Sunset', 'Link'] as const satisfies HeaderName[];

export function referToHeaders(names: readonly HeaderName[]): { headers?: Record<string, Reference> } {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}
