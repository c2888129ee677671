import { hostname } from 'node:os';
import type { Log } from '../platform/log.ts';
import { readBuildVersion } from '../platform/read-build-version.ts';
import type { Telemetry } from '../platform/telemetry.ts';
import { NO_TRACING, type Tracing } from '../platform/tracing.ts';
import type { Config } from './config/config.ts';

/** Loads the library of traces only where a collector is configured. */
export async function openTracing(
  config: Pick<Config, 'tracing' | 'cell'>,
  services: { role: string; telemetry: Telemetry; log: Log },
): Promise<Tracing> {
  if (config.tracing === null) return NO_TRACING;
  const { createOtlpTracing } = await import('../platform/otlp-tracing.ts');
  const { telemetry, log, role } = services;
  let isLost = false;
  return createOtlpTracing({
    ...config.tracing,
    version: readBuildVersion(),
    role,
    cell: config.cell,
    instance: `${hostname()}-${process.pid}`,
    onEnded: () => telemetry.spans.inc(),
    onSent({ count, ok }) {
      if (ok) telemetry.sentSpans.inc(count);
      else if (!isLost) log.warn('trace collector does not respond: spans are lost', { count });
      else return;
      if (ok && isLost) log.info('trace collector responds again');
      isLost = !ok;
    },
  });
}
