import type { ServerResponse } from 'node:http';
import type { ProblemCode } from '@atelier/contract';
import { SAFETY_HEADERS } from './file-headers.ts';

interface FileProblem {
  readonly status: number;
  readonly code: ProblemCode;
  readonly title: string;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const RETRY_AFTER_SECONDS = 5;

/**
 * The codes are those of the contract. It has none for 405, 412 and 416: the client has to correct the request
 * (`invalid_params`). A forged and a malformed link get the same answer.
 */
const FILE_PROBLEMS = {
  refused: {
    status: 403,
    code: 'link_invalid',
    title: 'Invalid link',
    detail: 'Use the link unchanged, or read the asset again to get a new one.',
  },
  expired: {
    status: 403,
    code: 'link_expired',
    title: 'Link expired',
    detail: 'Read the asset again to get a new link.',
  },
  gone: {
    status: 404,
    code: 'not_found',
    title: 'File not found',
    detail: 'The file was deleted or its retention period ended.',
  },
  method: {
    status: 405,
    code: 'invalid_params',
    title: 'Method not allowed',
    detail: 'Use GET or HEAD.',
    headers: { Allow: 'GET, HEAD' },
  },
  changed: {
    status: 412,
    code: 'invalid_params',
    title: 'Precondition failed',
    detail: 'The file does not match the condition of the request.',
  },
  range: {
    status: 416,
    code: 'invalid_params',
    title: 'Range not satisfiable',
    detail: 'Request one byte range inside the file.',
  },
  internal: {
    status: 500,
    code: 'internal',
    title: 'Internal error',
    detail: 'The file could not be served.',
  },
  unavailable: {
    status: 503,
    code: 'unavailable',
    title: 'File unavailable',
    detail: 'Retry later. The link stays valid until it expires.',
    headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) },
  },
} as const satisfies Record<string, FileProblem>;

export type FileProblemName = keyof typeof FILE_PROBLEMS;

export function sendFileProblem(
  response: ServerResponse,
  name: FileProblemName,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const problem: FileProblem = FILE_PROBLEMS[name];
  const { status, code, title, detail } = problem;
  const body = Buffer.from(JSON.stringify({ type: `/problems/${code}`, title, status, detail, code }));
  response.writeHead(status, {
    ...SAFETY_HEADERS,
    'Cache-Control': 'no-store',
    'Content-Type': 'application/problem+json',
    'Content-Length': body.length,
    ...problem.headers,
    ...headers,
  });
  response.end(body);
}
