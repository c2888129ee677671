import { createServer } from 'node:http';
import type { Telemetry } from '../platform/telemetry.ts';
import { listenOrExplain, type Role } from './role.ts';

const REQUEST_TIMEOUT_MS = 10_000;

/** Metrics and health on a port of their own, which no client reaches. */
export async function startMetrics(options: {
  host: string;
  port: number;
  telemetry: Telemetry;
  /** Whether every role of the process is up. */
  started: () => boolean;
  roles: readonly Role[];
}): Promise<{ stop(): Promise<void> }> {
  const server = createServer(
    { requestTimeout: REQUEST_TIMEOUT_MS, headersTimeout: REQUEST_TIMEOUT_MS },
    async (request, response) => {
      try {
        const path = request.url?.split('?', 1)[0];
        if (path === '/metrics') {
          response.writeHead(200, { 'content-type': options.telemetry.registry.contentType });
          response.end(await options.telemetry.registry.metrics());
        } else if (path === '/healthz') {
          response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
        } else if (path === '/readyz') {
          const parts = Object.assign({}, ...(await Promise.all(options.roles.map((role) => role.ready()))));
          parts.started = options.started();
          const ready = Object.values(parts).every(Boolean);
          const details = ready ? await describe(options.roles) : {};
          response
            .writeHead(ready ? 200 : 503, { 'content-type': 'application/json' })
            .end(JSON.stringify({ parts, details }));
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

async function describe(roles: readonly Role[]): Promise<Record<string, string>> {
  return Object.assign({}, ...(await Promise.all(roles.map((role) => role.details?.() ?? {}))));
}
