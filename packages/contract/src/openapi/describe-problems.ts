import { type ProblemCode, problems } from '../problems.ts';
import type { Response } from './document.ts';
import { type HeaderName, RATE_LIMIT_HEADERS, referToHeaders } from './headers.ts';

const HEADERS_BY_STATUS: Readonly<Record<number, readonly HeaderName[]>> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', ...RATE_LIMIT_HEADERS],
  503: ['Retry-After'],
};

/** One response per status, with all codes of that status. Any operation can return `internal`. */
export function describeProblems(codes: readonly ProblemCode[]): Record<string, Response> {
  const byStatus = Map.groupBy([...codes, 'internal' as const], (code) => problems[code].status);
  const statuses = [...byStatus.keys()].sort((a, b) => a - b);
  return Object.fromEntries(statuses.map((status) => [String(status), describeStatus(status, byStatus.get(status)!)]));
}

function describeStatus(status: number, codes: readonly ProblemCode[]): Response {
  const lines = codes.map((code) => `- \`${code}\`: ${problems[code].title}.`);
  const names = [
    ...(HEADERS_BY_STATUS[status] ?? []),
    ...(codes.includes('cooldown') ? (['Retry-After'] as const) : []),
  ];
  return {
    description: lines.join('\n'),
    ...referToHeaders(names),
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        examples: Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
    'x-problem-codes': codes,
  };
}
