import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createRateLimiter } from '../../http/auth/rate-limit.ts';
import { createConsoleApp } from '../../http/console/console-app.ts';
import { stopListening } from '../../http/server/shut-down.ts';
import { errorFields } from '../../platform/log.ts';
import { createRedis } from '../../platform/redis.ts';
import { createSafeFetch } from '../../platform/safe-fetch.ts';
import type { Composed } from '../compose.ts';
import type { Config } from '../config/config.ts';
import { createFirstUser } from '../create-first-user.ts';
import { createPayments } from '../create-payments.ts';
import { openIdentity } from '../open-identity.ts';
import { readUrlPolicy } from '../read-url-policy.ts';
import { closeWithin, listenOrExplain, type Role } from './role.ts';

export async function startConsole(config: Config, { services, dependencies, details }: Composed): Promise<Role> {
  const { log } = services;
  const redis = createRedis({
    url: config.redisUrl,
    onError: (error) => log.debug('Redis unavailable', errorFields(error)),
  });
  dependencies.add('redis', () => redis.ping());
  const people = await openIdentity(config, services);
  await createFirstUser(config, services, people.identity);
  const urlPolicy = readUrlPolicy(config);
  const safeFetch = createSafeFetch(urlPolicy);
  if (!existsSync(join(config.consoleDir, 'index.html'))) {
    log.warn('the pages of the console are not built: run npm run console:build', { path: config.consoleDir });
  }
  const app = await createConsoleApp({
    services: {
      ...services,
      mail: people.mail,
      consoleUrl: config.consoleUrl,
      signInOptions: { oidc: config.signIn.oidc !== null, signUp: config.signIn.signUp },
      payments: createPayments(config, services),
      keyRateLimit: config.accountDefaults.keyRateLimit,
      urlPolicy,
      safeFetch,
      webhookHeaderPrefix: config.webhookHeaderPrefix,
    },
    identity: people.identity,
    limiter: createRateLimiter({ redis, telemetry: services.telemetry }),
    origin: config.consoleUrl,
    mediaOrigins: findMediaOrigins(config),
    pagesDir: config.consoleDir,
    thumbnailDir: join(config.catalogDir, 'effects/thumbnails'),
    checkResponses: config.checkResponses,
    problemBaseUrl: `${config.publicUrl}/problems`,
    trustedProxies: config.trustedProxies,
    accessLogShare: config.accessLogShare,
    dependencies: dependencies.states,
  });
  const place = { host: config.host, port: config.consolePort };
  const address = await listenOrExplain({ setting: 'CONSOLE_PORT', ...place }, () => app.listen(place));
  log.info('console listening', { port: config.consolePort });
  return {
    name: 'console',
    addresses: [address],
    details: async () => details(),
    async stop() {
      await stopListening(app.server);
      await closeWithin(app, config.shutdownMs);
      safeFetch.close();
      redis.disconnect();
      await people.close();
    },
  };
}

/** Where the pages load media from: the file host, and the bucket if the file host redirects to it. */
function findMediaOrigins({ cdnUrl, linkMode, objectStore }: Config): string[] {
  const origins = [new URL(cdnUrl).origin];
  if (linkMode === 'redirect' && objectStore.driver === 's3') {
    const { publicEndpoint, endpoint, region } = objectStore;
    origins.push(new URL(publicEndpoint ?? endpoint ?? `https://s3.${region}.amazonaws.com`).origin);
  }
  return origins;
}
