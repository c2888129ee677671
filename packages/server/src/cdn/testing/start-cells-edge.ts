import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { localise } from './start-edge.ts';
import { mainDirectives, pathDirectives, startNginx, type TestNginx } from './start-nginx.ts';

const EDGE_FILES = new URL('../../../../../docs/operate/edge/', import.meta.url);

/** The ports of one cell. */
interface CellPorts {
  readonly api: number;
  readonly cdn: number;
}

/** For tests: the shipped edge for two cells, with this machine's paths and ports. Its directory is `directory` in its folder. */
export async function startCellsEdge(cells: { readonly a: CellPorts; readonly b: CellPorts }): Promise<TestNginx> {
  const [shipped, route] = await Promise.all(
    ['cells.conf', 'route.js'].map((name) => readFile(new URL(name, EDGE_FILES), 'utf8')),
  );
  const edge = await startNginx({
    config: ({ port, dir }) =>
      localise(shipped as string, {
        'user www-data;': mainDirectives(dir),
        'pid /run/nginx.pid;': '',
        'error_log /var/log/nginx/error.log warn;': '',
        'access_log /var/log/nginx/cells.log cells;': pathDirectives(dir),
        'worker_processes auto;': 'worker_processes 2;',
        '/etc/atelier-edge/': `${dir}/`,
        'listen 8090': `listen 127.0.0.1:${port}`,
        'server 127.0.0.1:8080;': `server 127.0.0.1:${cells.a.api};`,
        'server 127.0.0.1:9080;': `server 127.0.0.1:${cells.b.api};`,
        'server 127.0.0.1:8081;': `server 127.0.0.1:${cells.a.cdn};`,
        'server 127.0.0.1:9081;': `server 127.0.0.1:${cells.b.cdn};`,
      }),
    files: { 'route.js': route as string },
  });
  await mkdir(join(edge.dir, 'directory'));
  return edge;
}
