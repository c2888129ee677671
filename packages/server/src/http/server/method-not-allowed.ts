import { operations } from '@atelier/contract';

const DISCOVERY = [
  '/',
  '/openapi.json',
  '/llms.txt',
  '/docs',
  '/docs/',
  '/problems/{code}',
  '/effects/{file}',
  '/healthz',
  '/readyz',
];

const paths = [
  ...Object.values(operations).map(({ method, path }) => ({ method, path })),
  ...DISCOVERY.map((path) => ({ method: 'GET', path })),
].map(({ method, path }) => ({
  methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
  pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The methods that this path answers; none when there is no such path. */
export function allowedMethods(url: string): string[] {
  const path = url.replace(/^https?:\/\/[^/]*/i, '').split('?', 1)[0] as string;
  return [...new Set(paths.filter((row) => row.pattern.test(path)).flatMap((row) => row.methods))];
}
