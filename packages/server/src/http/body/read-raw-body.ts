import { PassThrough, type Readable } from 'node:stream';
import { CHUNK_BYTES } from '@atelier/contract';
import type { FastifyRequest } from 'fastify';
import { invalidParams, type Problem } from '../../platform/problem.ts';

/** Leaves the body to the handler, for operations whose body is raw bytes. */
export function acceptRawBody(request: FastifyRequest, _payload: unknown, done: (error: Error | null) => void): void {
  const { raw } = request.routeOptions.config;
  done(raw === true ? null : refuse('Content-Type', 'must be application/json (multipart/form-data for uploads)'));
}

/** A body of known length, as a separate stream: destroying it leaves the connection open for the response. */
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
    if (!raw.complete) stream.destroy(refuse('body', 'does not match Content-Length in length'));
  });
  raw.pipe(stream);
  return { stream, bytes };
}

function refuse(path: string, message: string): Problem {
  return invalidParams('The request is not valid', [{ path, message }]);
}
