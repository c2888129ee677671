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
 * The codes are those of the contract. Its list has none of its own for 405, 412 and 416: they are requests to correct
 * (`invalid_params`). A forged and a malformed link get the same answer.
 */
const FILE_PROBLEMS = {
  refused: {
    status: 403,
    code: 'link_invalid',
    title: 'The link is not valid',
    detail: 'Use the link exactly as it was given, or read the asset again for a new one.',
  },
  expired: {
    status: 403,
    code: 'link_expired',
    title: 'The link has expired',
    detail: 'Read the asset again for a new link.',
  },
  gone: {
    status: 404,
    code: 'not_found',
    title: 'There is no such file',
    detail: 'The file was deleted or is past its retention.',
  },
  method: {
    status: 405,
    code: 'invalid_params',
    title: 'The method is not allowed',
    detail: 'Files are read with GET or HEAD.',
    headers: { Allow: 'GET, HEAD' },
  },
  changed: {
    status: 412,
    code: 'invalid_params',
    title: 'The condition does not hold',
    detail: 'The file is not the one that the request names.',
  },
  range: {
    status: 416,
    code: 'invalid_params',
    title: 'The range cannot be served',
    detail: 'Ask for one range of bytes inside the file.',
  },
  internal: {
    status: 500,
    code: 'internal',
    title: 'Something went wrong',
    detail: 'The file could not be served.',
  },
  unavailable: {
    status: 503,
    code: 'unavailable',
    title: 'The file is unavailable',
    detail: 'Try again later; the link stays good until it expires.',
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
