import { join } from 'node:path';
import { createApp } from '../../http/app.ts';
import { createRateLimiter } from '../../http/auth/rate-limit.ts';
import { stopListening } from '../../http/server/shut-down.ts';
import { errorFields } from '../../platform/log.ts';
import { createRedis } from '../../platform/redis.ts';
import type { Composed } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { createPayments } from '../create-payments.ts';
import { closeWithin, listenOrExplain, type Role } from './role.ts';

const BACKLOG = 1024;

export async function startApi(config: Config, { services, dependencies, details }: Composed): Promise<Role> {
  const redis = createRedis({
    url: config.redisUrl,
    onError: (error) => services.log.debug('Redis unavailable', errorFields(error)),
  });
  dependencies.add('redis', () => redis.ping());
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
    mcpDailyBudgetCoins: config.mcpDailyBudgetCoins,
    openaiWaitSeconds: config.openaiWaitSeconds,
    dependencies: dependencies.states,
  });
  const place = { host: config.host, port: config.port };
  const address = await listenOrExplain({ setting: 'PORT', ...place }, () =>
    app.listen({ ...place, backlog: BACKLOG }),
  );
  services.log.info('API listening', { port: config.port });
  return {
    name: 'api',
    addresses: [address],
    details: async () => details(),
    async stop() {
      await stopListening(app.server);
      await closeWithin(app, config.shutdownMs);
      redis.disconnect();
    },
  };
}
