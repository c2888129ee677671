import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';

const CACHE_SECONDS = 60;

/** A public answer that changes only with its version: made once, with an ETag, cached by clients for a minute. */
export function createCachedAnswer() {
  let kept: { version: string; etag: string; value: unknown } | null = null;
  return <T>(answer: { version: string; request: FastifyRequest; reply: FastifyReply; make: () => T }): T => {
    if (kept === null || kept.version !== answer.version) {
      const value = answer.make();
      const etag = `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;
      kept = { version: answer.version, etag, value };
    }
    answer.reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`);
    answer.reply.header('etag', kept.etag);
    if (matches(answer.request.headers['if-none-match'], kept.etag)) answer.reply.code(304);
    return kept.value as T;
  };
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag || each.trim() === '*');
}
