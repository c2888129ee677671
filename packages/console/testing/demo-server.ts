import { readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, resolve } from 'node:path';
import { answerDemo } from './demo-answers.ts';
import { HOSTILE, makeHostile } from './hostile-text.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.woff2': 'font/woff2',
  '.glb': 'model/gltf-binary',
  '.txt': 'text/plain; charset=utf-8',
  '.vtt': 'text/vtt; charset=utf-8',
};

/** The policy of the console, with the file host at the same origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "media-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const ROOT = resolve(import.meta.dirname, '../../..');
const THUMBNAILS = join(ROOT, 'catalog/effects/thumbnails');
const PICTURES = [join(import.meta.dirname, 'pictures'), join(ROOT, 'gallery/inputs')];

export interface DemoServer extends AsyncDisposable {
  readonly url: string;
}

/** Serves the built pages with fixed data, so that every view can be looked at without a database. */
export async function startDemoServer(dist: string): Promise<DemoServer> {
  const server = createServer((request, response) => void serve(dist, request, response));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

async function serve(dist: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  response.setHeader('Content-Security-Policy', POLICY);
  if (url.pathname.endsWith('/events/stream')) {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write('retry: 2000\n\n');
    return;
  }
  if (url.pathname.startsWith('/api/')) {
    const { status, body } = answerDemo(request.method ?? 'GET', url, request.headers.cookie ?? '');
    const type = status < 400 ? 'application/json' : 'application/problem+json';
    const isHostile = request.headers.cookie?.includes(HOSTILE) === true;
    response.writeHead(status, { 'Content-Type': type }).end(JSON.stringify(isHostile ? makeHostile(body) : body));
    return;
  }
  const bytes = await readFirst(filesFor(dist, normalize(url.pathname)));
  if (bytes === null) {
    response.writeHead(404).end();
    return;
  }
  if (url.pathname.startsWith('/assets/')) response.setHeader('Cache-Control', 'max-age=3600, immutable');
  response.setHeader('Content-Type', TYPES[extname(url.pathname)] ?? 'text/html; charset=utf-8');
  response.end(bytes);
}

/** A path without an extension is a page: all of them are one document. */
function filesFor(dist: string, path: string): string[] {
  if (path.startsWith('/files/')) return PICTURES.map((dir) => join(dir, path.slice('/files/'.length)));
  if (path.startsWith('/effects/')) return [join(THUMBNAILS, path.slice('/effects/'.length))];
  return [join(dist, extname(path) === '' ? 'index.html' : path)];
}

async function readFirst(paths: readonly string[]): Promise<Buffer | null> {
  for (const path of paths) {
    const bytes = await readFile(path).catch(() => null);
    if (bytes !== null) return bytes;
  }
  return null;
}
