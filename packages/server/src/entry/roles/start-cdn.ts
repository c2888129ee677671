import { createCdnApp } from '../../cdn/create-cdn-app.ts';
import { findServedFile } from '../../domain/assets/find-served-file.ts';
import { checkDatabase } from '../../platform/db.ts';
import { shareResult } from '../../platform/flow/share-result.ts';
import type { Composed } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { closeWithin, listenOrExplain, passes, READY_LIFE_MS, type Role } from './role.ts';
import { tuneMemory } from './tune-memory.ts';

export async function startCdn(config: Config, { services, details }: Composed): Promise<Role> {
  tuneMemory();
  const app = createCdnApp({
    lookup: (assetId, variant) => findServedFile(services, { assetId, variant }),
    store: services.store,
    ...(config.linkMode === 'redirect' && services.store.presign ? { presign: services.store.presign } : {}),
    // Every master key verifies links: those signed before a rotation stay valid until they expire.
    linkKeys: { get: (kid) => services.keys.key('link', kid) ?? undefined },
    publicHosts: new Set([new URL(config.cdnUrl).host]),
    clock: services.clock,
    log: services.log,
    ...(config.edgeSecret === '' ? {} : { edgeSecret: config.edgeSecret }),
  });
  const ready = shareResult(READY_LIFE_MS, async () => ({
    database: await passes(() => checkDatabase(services.db)),
    objectStore: await passes(() => services.store.check()),
  }));
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    const parts = await ready();
    return reply.code(Object.values(parts).every(Boolean) ? 200 : 503).send({ parts });
  });
  const place = { host: config.host, port: config.cdnPort };
  const address = await listenOrExplain({ setting: 'CDN_PORT', ...place }, () => app.listen(place));
  services.log.info('file host listening', { port: config.cdnPort });
  return {
    name: 'cdn',
    addresses: [address],
    ready,
    details: async () => details(),
    stop: () => closeWithin(app, config.shutdownMs),
  };
}
