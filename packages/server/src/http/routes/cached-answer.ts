import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createRecentMap } from '../../platform/recent-map.ts';

const CACHE_SECONDS = 60;
const MAX_KEPT = 100;

/** Public answers that change only with their version: each made once, with an ETag, cached by clients for a minute. */
export function createCachedAnswer() {
  const kept = createRecentMap<{ version: string; etag: string; value: unknown }>(MAX_KEPT);
  return <T>(answer: {
    /** What was asked for; leave it out where there is only one answer. */
    key?: string;
    version: string;
    request: FastifyRequest;
    reply: FastifyReply;
    make: () => T;
  }): T => {
    const { key = '', version } = answer;
    let known = kept.get(key);
    if (known === undefined || known.version !== version) {
      const value = answer.make();
      const etag = `"${createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22)}"`;
      known = { version, etag, value };
      kept.set(key, known);
    }
    answer.reply.header('cache-control', `public, max-age=${CACHE_SECONDS}`);
    answer.reply.header('etag', known.etag);
    if (matches(answer.request.headers['if-none-match'], known.etag)) answer.reply.code(304);
    return known.value as T;
  };
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((each) => each.trim().replace(/^W\//, '') === etag || each.trim() === '*');
}
