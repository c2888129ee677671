import { createServer } from 'node:http';
import { shareResult } from '../../platform/flow/share-result.ts';
import type { Telemetry } from '../../platform/telemetry.ts';
import { listenOrExplain, passes, type Role } from './role.ts';
import type { Dependencies } from './watch-dependencies.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const DETAILS_TIMEOUT_MS = 1_000;
/** Concurrent requests within this time share the details. */
const DETAILS_LIFE_MS = 1_000;

/** Metrics and health on a separate port that clients cannot reach. */
export async function startMetrics(options: {
  host: string;
  port: number;
  telemetry: Telemetry;
  /** Whether every role of the process is up, and none is stopping. */
  ready: () => boolean;
  roles: readonly Role[];
  dependencies: Dependencies;
}): Promise<{ stop(): Promise<void> }> {
  const describeShared = shareResult(DETAILS_LIFE_MS, () => describe(options.roles));
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    async (request, response) => {
      try {
        const path = request.url?.split('?', 1)[0];
        if (path === '/metrics') {
          // Updates the gauges that count rows.
          await describe(options.roles);
          response.writeHead(200, { 'content-type': options.telemetry.registry.contentType });
          response.end(await options.telemetry.registry.metrics());
        } else if (path === '/healthz') {
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
        } else if (path === '/readyz') {
          const ready = options.ready();
          const { dependencies } = options;
          // Only after all roles have started, because the result is cached.
          const details = ready ? { ...(await describeShared()), ...dependencies.details() } : {};
          response
            .writeHead(ready ? 200 : 503, { 'content-type': 'application/json' })
            .end(JSON.stringify({ ready, dependencies: dependencies.states(), details }));
        } else response.writeHead(404).end();
      } catch {
        if (!response.headersSent) response.writeHead(500);
        response.end();
      }
    },
  );
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.port, options.host, resolve);
    });
  await listenOrExplain({ setting: 'METRICS_PORT', host: options.host, port: options.port }, listen);
  return {
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Omits roles that do not answer, so that metrics work while the database is unavailable. */
async function describe(roles: readonly Role[]): Promise<Record<string, string>> {
  const details: Record<string, string> = {};
  const ask = async (role: Role) => Object.assign(details, await role.details?.());
  await Promise.all(roles.map((role) => passes(() => ask(role), DETAILS_TIMEOUT_MS)));
  return details;
}
