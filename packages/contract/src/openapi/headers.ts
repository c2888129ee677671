import type { Header, Reference } from './document.ts';

/** Every response header of the interface. */
export const headers = {
  'RateLimit-Limit': {
    description: 'Requests allowed in the window: the tighter of the limits of the key and of the account.',
    schema: { type: 'integer', minimum: 1 },
    example: 120,
  },
  'RateLimit-Remaining': {
    description: 'Requests left in the window.',
    schema: { type: 'integer', minimum: 0 },
    example: 117,
  },
  'RateLimit-Reset': {
    description: 'Seconds until the window resets.',
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
    description: 'The way to authenticate.',
    schema: { type: 'string' },
    example: 'Bearer realm="atelier"',
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof headers;

export const RATE_LIMIT_HEADERS = [
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
] as const satisfies HeaderName[];

export function referToHeaders(names: readonly HeaderName[]): { headers?: Record<string, Reference> } {
  if (names.length === 0) return {};
  return { headers: Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }])) };
}
