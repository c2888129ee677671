import { createCdnApp } from '../cdn/create-cdn-app.ts';
import { findServedFile } from '../domain/assets/find-served-file.ts';
import type { Composed } from './compose.ts';
import type { Config } from './config.ts';
import { passes, type Role } from './role.ts';

export async function startCdn(config: Config, { services }: Composed): Promise<Role> {
  const { keys } = services;
  const app = createCdnApp({
    lookup: (assetId, variant) => findServedFile(services, { assetId, variant }),
    store: services.store,
    linkKeys: new Map([[keys.kid, keys.key('link') as Buffer]]),
    publicHosts: new Set([new URL(config.cdnUrl).host]),
    clock: services.clock,
    log: services.log,
  });
  const ready = async () => ({ objectStore: await passes(() => services.store.check()) });
  app.get('/healthz', async () => ({ status: 'ok' }));
  const address = await app.listen({ host: config.host, port: config.cdnPort });
  services.log.info('the file door listens', { port: config.cdnPort });
  return { name: 'cdn', addresses: [address], ready, stop: () => app.close() };
}
