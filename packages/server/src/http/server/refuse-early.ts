import type { FastifyInstance } from 'fastify';
import { Problem } from '../../platform/problem.ts';
import { findAmbiguity } from './find-ambiguity.ts';
import { type ProblemContext, sendProblem } from './problem-handler.ts';

const METHOD_NOT_ALLOWED = 405;

/** A path that the listener serves, with `{names}` for parameters. */
export interface KnownPath {
  readonly method: string;
  readonly path: string;
}

/** Refuses ambiguous requests, unknown paths and wrong methods before reading the body. */
export function refuseEarly(
  app: FastifyInstance,
  context: Pick<ProblemContext, 'problemBaseUrl'> & { readonly paths: readonly KnownPath[] },
): void {
  const allowedMethods = createMethodLookup(context.paths);
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

/** Finds the methods that a path supports; none for an unknown path. */
export function createMethodLookup(known: readonly KnownPath[]): (url: string) => string[] {
  const paths = known.map(({ method, path }) => ({
    methods: method === 'GET' ? ['GET', 'HEAD'] : [method],
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }));
  return (url) => {
    const path = url.replace(/^https?:\/\/[^/]*/i, '').split('?', 1)[0] as string;
    return [...new Set(paths.filter((row) => row.pattern.test(path)).flatMap((row) => row.methods))];
  };
}
