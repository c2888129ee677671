import { createKnownKeyCheck } from '@atelier/server/domain/accounts/create-known-key-check.ts';
import { compose } from '@atelier/server/entry/compose.ts';
import { readConfig } from '@atelier/server/entry/config/config.ts';
import { watchDependencies } from '@atelier/server/entry/roles/watch-dependencies.ts';
import { createAdmitKey, createKeyAdmission } from '@atelier/server/http/auth/admit.ts';
import { throttleUnknownKeys } from '@atelier/server/http/auth/authenticate.ts';
import { createRateLimiter } from '@atelier/server/http/auth/rate-limit.ts';
import { bindOperation } from '@atelier/server/http/bind-operation.ts';
import { createBodyDeadlines } from '@atelier/server/http/body/body-deadlines.ts';
import { createHttpServer } from '@atelier/server/http/server/create-http-server.ts';
import { createRedis } from '@atelier/server/platform/redis.ts';
import { createTelemetry } from '@atelier/server/platform/telemetry.ts';
import { reportToBench } from '../load/process-cost.ts';
import { answer } from './answer.ts';

/** The real HTTP layer in front of a handler that does nothing. */
const config = readConfig();
const telemetry = createTelemetry();
const { services } = await compose(config, 'api', { telemetry, dependencies: watchDependencies(telemetry.registry) });
const app = await createHttpServer({
  services,
  problemBaseUrl: 'http://127.0.0.1/problems',
  trustedProxies: [],
  accessLogShare: config.accessLogShare,
  paths: [],
});
const limiter = createRateLimiter({ redis: createRedis({ url: config.redisUrl }), telemetry: services.telemetry });
const authenticate = throttleUnknownKeys({
  authenticateKey: services.authenticateKey,
  isKnownKey: createKnownKeyCheck(services),
  limit: config.unknownKeyLimit,
});
bindOperation(
  app,
  {
    services,
    admit: createKeyAdmission(createAdmitKey({ authenticate, limiter })),
    bodyDeadlines: createBodyDeadlines(),
    checkResponses: false,
  },
  'createQuote',
  async () => answer,
);
reportToBench(await app.listen({ host: '127.0.0.1', port: 0 }));
