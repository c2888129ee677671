import { existsSync, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join, normalize } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { Problem } from '../../platform/problem.ts';

const PREFIX = '/guide';
/** Names in this folder contain a hash of the content. */
const HASHED = '_astro/';
const YEAR_SECONDS = 31_536_000;
const HASH = /^sha256-[A-Za-z0-9+/]{43}=$/;
const MISSING = '404.html';
const EXTENSION = /\.\w+$/;
/** Letters of paths that the build writes. */
const PATH = /^[\w@~./-]*$/;

/**
 * Serves the documentation site, if it is built: files by name, and the document of each page. `policy.json`, which the build
 * writes, lists the hashes of the scripts that are part of the pages; the policy allows those and no others.
 */
export async function serveGuide(app: FastifyInstance, { guideDir }: { guideDir: string }): Promise<void> {
  await app.register(fastifyStatic, { root: guideDir, serve: false, index: false, etag: true, lastModified: true });
  const headers = guideHeaders(readScriptHashes(guideDir));

  const answer = async (path: string, reply: FastifyReply) => {
    if (!PATH.test(path) || path.split('/').some((part) => part.startsWith('.'))) throw notFound();
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    const found = await stat(join(guideDir, normalize(file))).catch(() => null);
    if (found?.isDirectory()) return reply.redirect(`${PREFIX}/${path}/`, 308);
    if (found === null) {
      if (!existsSync(join(guideDir, MISSING))) {
        throw new Problem('not_found', 'The documentation is not built. Run: npm run docs:build');
      }
      if (EXTENSION.test(path)) throw notFound();
      // A page for people who followed an old link.
      return reply
        .code(404)
        .headers(headers)
        .header('cache-control', 'no-cache')
        .sendFile(MISSING, { cacheControl: false });
    }
    const cache = path.startsWith(HASHED) ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache';
    return reply.headers(headers).header('cache-control', cache).sendFile(file, { cacheControl: false });
  };
  app.get(PREFIX, async (_request, reply) => reply.redirect(`${PREFIX}/`, 308));
  app.get<{ Params: { '*': string } }>(`${PREFIX}/*`, (request, reply) => answer(request.params['*'], reply));
  app.get('/llms-full.txt', async (_request, reply) => answer('llms-full.txt', reply));
}

const notFound = () => new Problem('not_found', 'Path not found.');

function readScriptHashes(dir: string): string[] {
  try {
    const { scripts } = JSON.parse(readFileSync(join(dir, 'policy.json'), 'utf8')) as { scripts: string[] };
    return scripts.filter((hash) => HASH.test(hash));
  } catch {
    return [];
  }
}

function guideHeaders(hashes: readonly string[]): Record<string, string> {
  return {
    'content-security-policy': [
      "default-src 'none'",
      // The search runs as WebAssembly.
      ["script-src 'self' 'wasm-unsafe-eval'", ...hashes.map((hash) => `'${hash}'`)].join(' '),
      "style-src 'self'",
      // The colours of code are attributes of its words.
      "style-src-attr 'unsafe-inline'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "worker-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ].join('; '),
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
  };
}
