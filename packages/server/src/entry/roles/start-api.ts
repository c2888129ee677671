import { join } from 'node:path';
import { createApp } from '../../http/app.ts';
import { createRateLimiter } from '../../http/auth/rate-limit.ts';
import { stopListening } from '../../http/server/shut-down.ts';
import { checkDatabase } from '../../platform/db.ts';
import { shareResult } from '../../platform/flow/share-result.ts';
import { errorFields } from '../../platform/log.ts';
import { createRedis } from '../../platform/redis.ts';
import type { Composed } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { createPayments } from '../create-payments.ts';
import { closeWithin, listenOrExplain, passes, READY_LIFE_MS, type Role } from './role.ts';

const BACKLOG = 1024;

export async function startApi(config: Config, { services, details }: Composed): Promise<Role> {
  const redis = createRedis({
    url: config.redisUrl,
    onError: (error) => services.log.debug('Redis unavailable', errorFields(error)),
  });
  const ready = shareResult(READY_LIFE_MS, async () => ({
    database: await passes(() => checkDatabase(services.db)),
    objectStore: await passes(() => services.store.check()),
    // Not Redis: without it each process counts the rate limits for itself.
  }));
  if (config.accessUrl === null) {
    services.log.warn('agents need an API key: CONSOLE_URL is on this machine, so nobody else can sign in for them');
  }
  const app = await createApp({
    services,
    limiter: createRateLimiter({ redis, telemetry: services.telemetry }),
    checkResponses: config.checkResponses,
    thumbnailDir: join(config.catalogDir, 'effects/thumbnails'),
    guideDir: config.guideDir,
    problemBaseUrl: `${config.publicUrl}/problems`,
    trustedProxies: config.trustedProxies,
    accessLogShare: config.accessLogShare,
    payments: createPayments(config, services),
    unknownKeyLimit: config.unknownKeyLimit,
    accessUrl: config.accessUrl,
    mcpSessionBudgetCoins: config.mcpSessionBudgetCoins,
    openaiWaitSeconds: config.openaiWaitSeconds,
    ready,
  });
  const place = { host: config.host, port: config.port };
  const address = await listenOrExplain({ setting: 'PORT', ...place }, () =>
    app.listen({ ...place, backlog: BACKLOG }),
  );
  services.log.info('API listening', { port: config.port });
  return {
    name: 'api',
    addresses: [address],
    ready,
    details: async () => details(),
    async stop() {
      await stopListening(app.server);
      await closeWithin(app, config.shutdownMs);
      redis.disconnect();
    },
  };
}
