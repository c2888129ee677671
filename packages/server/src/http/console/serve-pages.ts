import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../platform/problem.ts';

const INDEX = 'index.html';
/** Names in this folder contain a hash of the content. */
const HASHED = '/assets/';
const YEAR_SECONDS = 31_536_000;
/** The APIs: a client that calls a wrong path must not get a page. The public API is not served here. */
const NO_PAGE = /^\/(?:api|oauth|v1)(?:\/|$)/;
/** A page path has no file extension; everything else names a file. */
const PAGE = /^\/(?:[\w@~-]+(?:\/[\w@~-]+)*\/?)?$/;

const NOT_BUILT = `<!doctype html>
<html lang="en">
<title>Console not built</title>
<h1>The console is not built</h1>
<p>Run <code>npm run console:build</code>, then reload this page. The console's API works without it.</p>
</html>
`;

/** Serves the built pages: files by name, the same document for every page path, which the router in the page reads. */
export async function servePages(app: FastifyInstance, { dir }: { dir: string }): Promise<void> {
  await app.register(fastifyStatic, { root: dir, serve: false, index: false, etag: true, lastModified: true });
  app.get('/*', async (request, reply) => {
    const path = pathOf(request.url);
    if (NO_PAGE.test(path)) throw new Problem('not_found', 'Path not found.');
    if (PAGE.test(path)) {
      // The document names the current hashed files, so it is never stored.
      reply.header('cache-control', 'no-store');
      if (existsSync(join(dir, INDEX))) return reply.sendFile(INDEX, { cacheControl: false });
      return reply.code(503).type('text/html; charset=utf-8').send(NOT_BUILT);
    }
    const hashed = path.startsWith(HASHED);
    reply.header('cache-control', hashed ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache');
    return reply.sendFile(path.slice(1), { cacheControl: false });
  });
  app.setNotFoundHandler(() => {
    throw new Problem('not_found', 'Path not found.');
  });
}

function pathOf(url: string): string {
  try {
    return decodeURIComponent(url.split('?', 1)[0] as string);
  } catch {
    throw new Problem('not_found', 'Path not found.');
  }
}
