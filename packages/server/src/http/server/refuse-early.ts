import { operations } from '@atelier/contract';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../../platform/problem.ts';
import { findAmbiguity } from './find-ambiguity.ts';
import { type ProblemContext, sendProblem } from './problem-handler.ts';

const METHOD_NOT_ALLOWED = 405;

/** Refuses ambiguous requests, unknown paths and wrong methods before reading the body. */
export function refuseEarly(app: FastifyInstance, context: Pick<ProblemContext, 'problemBaseUrl'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    const ambiguity = findAmbiguity(request.raw);
    if (ambiguity !== null) {
      reply.header('connection', 'close');
      sendProblem(context, request, reply, new Problem('invalid_params', ambiguity.detail), ambiguity.status);
      return;
    }
    if (!request.is404) {
      done();
      return;
    }
    const allowed = allowedMethods(request.raw.url ?? '/');
    if (allowed.length === 0) {
      sendProblem(context, request, reply, new Problem('not_found', 'Path not found.'));
      return;
    }
    reply.header('allow', allowed.join(', '));
    const detail = `This path supports ${allowed.join(' and ')}, not ${request.method}.`;
    sendProblem(context, request, reply, new Problem('invalid_params', detail), METHOD_NOT_ALLOWED);
  });
}

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

/** The methods that this path supports; none for an unknown path. */
export function allowedMethods(url: string): string[] {
  const path = url.replace(/^https?:\/\/[^/]*/i, '').split('?', 1)[0] as string;
  return [...new Set(paths.filter((row) => row.pattern.test(path)).flatMap((row) => row.methods))];
}
