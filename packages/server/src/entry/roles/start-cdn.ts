import { createCdnApp } from '../../cdn/create-cdn-app.ts';
import { findServedFile } from '../../domain/assets/find-served-file.ts';
import { bindHealth } from '../../http/server/bind-health.ts';
import type { Composed } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { closeWithin, listenOrExplain, type Role } from './role.ts';
import { tuneMemory } from './tune-memory.ts';

export async function startCdn(config: Config, { services, dependencies, details }: Composed): Promise<Role> {
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
  bindHealth(app, dependencies.states);
  const place = { host: config.host, port: config.cdnPort };
  const address = await listenOrExplain({ setting: 'CDN_PORT', ...place }, () => app.listen(place));
  services.log.info('file host listening', { port: config.cdnPort });
  return {
    name: 'cdn',
    addresses: [address],
    details: async () => details(),
    stop: () => closeWithin(app, config.shutdownMs),
  };
}
