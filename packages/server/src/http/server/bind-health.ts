import type { FastifyInstance } from 'fastify';

/** Whether the process reaches each thing that it shares with others. */
export type DependencyStates = () => Record<string, boolean>;

const QUIET = { config: { quiet: true } } as const;

/**
 * `/healthz` says that the process runs, `/readyz` that it can answer. What all processes share decides nothing here: a
 * balancer that removed every process of a role would turn the loss of one dependency into the loss of the service.
 */
export function bindHealth(app: FastifyInstance, dependencies: DependencyStates): void {
  app.get('/healthz', QUIET, async () => ({ status: 'ok' }));
  app.get('/readyz', QUIET, async (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ status: 'ok', dependencies: dependencies() }),
  );
}
