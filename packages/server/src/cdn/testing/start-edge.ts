import { readFile } from 'node:fs/promises';
import { mainDirectives, pathDirectives, startNginx, type TestNginx } from './start-nginx.ts';

const EDGE_FILES = new URL('../../../../../docs/operate/edge/', import.meta.url);

/** For tests: the shipped configuration of the edge, with this machine's paths and ports. */
export async function startEdge(options: {
  readonly cdnPort: number;
  /** Key id to key. */
  readonly linkKeys: ReadonlyMap<string, Buffer>;
  readonly edgeSecret: string;
  /** Further changes of the configuration: text to its replacement. */
  readonly changes?: Readonly<Record<string, string>>;
}): Promise<TestNginx> {
  const [shipped, sign] = await Promise.all(
    ['nginx.conf', 'sign.js'].map((name) => readFile(new URL(name, EDGE_FILES), 'utf8')),
  );
  const keys = Object.fromEntries([...options.linkKeys].map(([kid, key]) => [kid, key.toString('hex')]));
  return startNginx({
    config: ({ port, dir }) =>
      localise(shipped as string, {
        'user www-data;': mainDirectives(dir),
        'pid /run/nginx.pid;': '',
        'error_log /var/log/nginx/error.log warn;': '',
        'access_log /var/log/nginx/files.log files;': pathDirectives(dir),
        'worker_processes auto;': 'worker_processes 2;',
        '/etc/atelier-edge/': `${dir}/`,
        '/var/cache/nginx/files': `${dir}/cache`,
        'listen 8082;': `listen 127.0.0.1:${port};`,
        'server 127.0.0.1:8081;': `server 127.0.0.1:${options.cdnPort};`,
        ...options.changes,
      }),
    files: {
      'sign.js': sign as string,
      'link-keys.json': JSON.stringify(keys),
      'edge-secret.conf': `proxy_set_header Edge-Secret "${options.edgeSecret}";\n`,
    },
  });
}

/** Every replacement must find its text. */
export function localise(config: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`the configuration has no "${from}"`);
    return text.replaceAll(from, to);
  }, config);
}
