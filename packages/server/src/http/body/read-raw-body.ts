import { PassThrough, type Readable } from 'node:stream';
import { CHUNK_BYTES, type OperationRow, operations } from '@atelier/contract';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../platform/problem.ts';

/** Leaves the body to the handler, at the operations whose body is raw bytes and at no other. */
export function acceptRawBody(request: FastifyRequest, _payload: unknown, done: (error: Error | null) => void): void {
  const { operation } = request.routeOptions.config;
  const row: OperationRow | undefined = operation === undefined ? undefined : operations[operation];
  done(row?.raw === true ? null : refuse('Content-Type', 'must be application/json (multipart/form-data for uploads)'));
}

/** A body of known length, as a stream of its own: what becomes of it leaves the connection open for the answer. */
export function readRawBody(request: FastifyRequest): { stream: Readable; bytes: number } {
  const { raw } = request;
  if (!/^application\/octet-stream\b/i.test(raw.headers['content-type'] ?? '')) {
    throw refuse('Content-Type', 'must be application/octet-stream');
  }
  const bytes = Number(raw.headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(bytes) || bytes < 1 || bytes > CHUNK_BYTES) {
    throw refuse('Content-Length', `must be given, from 1 to ${CHUNK_BYTES}`);
  }
  const stream = new PassThrough();
  raw.once('close', () => {
    if (!raw.complete) stream.destroy(refuse('body', 'is not as long as Content-Length says'));
  });
  raw.pipe(stream);
  return { stream, bytes };
}

function refuse(path: string, message: string): Problem {
  return new Problem('invalid_params', `The request is not valid: ${path} ${message}.`, {
    issues: [{ path, message }],
  });
}
