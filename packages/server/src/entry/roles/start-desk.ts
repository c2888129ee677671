import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { verifyBooksWithin } from '../../domain/ledger/verify-books.ts';
import { createOpenWorkReader } from '../../domain/operator/read-open-work.ts';
import { createRateLimiter } from '../../http/auth/rate-limit.ts';
import { createDeskApp } from '../../http/desk/desk-app.ts';
import { stopListening } from '../../http/server/shut-down.ts';
import { shareResult } from '../../platform/flow/share-result.ts';
import { errorFields } from '../../platform/log.ts';
import { createRedis } from '../../platform/redis.ts';
import type { Composed } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { openDeskIdentity } from '../open-identity.ts';
import { closeWithin, listenOrExplain, type Role } from './role.ts';

/** Below the timeout of a request of the pages. */
const BOOKS_LIMIT_MS = 15_000;
/** How long a result is shown to others who ask. */
const BOOKS_LIFE_MS = 10_000;

export async function startDesk(config: Config, { services, dependencies, details }: Composed): Promise<Role> {
  const { log } = services;
  const redis = createRedis({
    url: config.redisUrl,
    onError: (error) => log.debug('Redis unavailable', errorFields(error)),
  });
  dependencies.add('redis', () => redis.ping());
  const people = await openDeskIdentity(config, services);
  if (!existsSync(join(config.deskDir, 'index.html'))) {
    log.warn('the pages of the desk are not built: run npm run console:build', { path: config.deskDir });
  }
  const app = await createDeskApp({
    services: {
      ...services,
      readOpenWork: createOpenWorkReader(services),
      checkBooks: shareResult(BOOKS_LIFE_MS, async () => ({
        checkedAt: services.clock.now(),
        checks: await verifyBooksWithin(services, { limitMs: BOOKS_LIMIT_MS, retention: config.limits }),
      })),
    },
    identity: people.identity,
    limiter: createRateLimiter({ redis, telemetry: services.telemetry }),
    origin: config.deskUrl,
    mediaOrigins: [],
    pagesDir: config.deskDir,
    checkResponses: config.checkResponses,
    problemBaseUrl: `${config.publicUrl}/problems`,
    trustedProxies: config.trustedProxies,
    accessLogShare: config.accessLogShare,
    dependencies: dependencies.states,
  });
  const place = { host: config.deskHost, port: config.deskPort };
  const address = await listenOrExplain({ setting: 'DESK_PORT', ...place }, () => app.listen(place));
  log.info('desk listening', { port: config.deskPort });
  return {
    name: 'desk',
    addresses: [address],
    details: async () => details(),
    async stop() {
      await stopListening(app.server);
      await closeWithin(app, config.shutdownMs);
      redis.disconnect();
      await people.close();
    },
  };
}
