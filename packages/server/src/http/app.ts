import { operations } from '@atelier/contract';
import type { FastifyInstance } from 'fastify';
import { createKnownKeyCheck } from '../domain/accounts/create-known-key-check.ts';
import { createReceiveCallback } from '../domain/generations/run/callbacks.ts';
import { createRequestRecorder } from '../domain/operator/request-records.ts';
import type { Payments } from '../domain/payments/payments.ts';
import { createAdmitKey, createKeyAdmission } from './auth/admit.ts';
import { throttleUnknownKeys } from './auth/authenticate.ts';
import type { RateLimiter } from './auth/rate-limit.ts';
import { bindCallbacks } from './bind-callbacks.ts';
import type { OperationContext } from './bind-operation.ts';
import { bindOperations } from './bind-operations.ts';
import { bindPayments } from './bind-payments.ts';
import { bindDiscovery } from './discovery/bind-discovery.ts';
import { bindMcp, MCP_PATHS } from './mcp/bind-mcp.ts';
import { bindOpenai, OPENAI_PATHS } from './openai/bind-openai.ts';
import { bindHealth, type DependencyStates } from './server/bind-health.ts';
import { createHttpServer, type HttpServerOptions } from './server/create-http-server.ts';
import type { KnownPath } from './server/refuse-early.ts';
import { drainOnClose } from './server/shut-down.ts';

export interface AppOptions
  extends Omit<HttpServerOptions, 'services' | 'paths' | 'recorder'>,
    Pick<OperationContext, 'services' | 'checkResponses'> {
  readonly limiter: RateLimiter;
  /** Unknown keys that an address may send in a minute. */
  readonly unknownKeyLimit: number;
  /** Where the pictures of the effects are. */
  readonly thumbnailDir: string;
  /** The built documentation site. */
  readonly guideDir: string;
  readonly payments: Payments;
  /** Where people give programs access to their accounts; null: programs need a key. */
  readonly accessUrl: string | null;
  /** What a key may spend over the Model Context Protocol on a UTC day; 0: no limit. */
  readonly mcpDailyBudgetCoins: number;
  /** How long a request of the OpenAI-compatible API waits for its generation. */
  readonly openaiWaitSeconds: number;
  readonly dependencies: DependencyStates;
}

const DISCOVERY = [
  '/',
  '/openapi.json',
  '/llms.txt',
  '/llms-full.txt',
  '/guide',
  '/guide/',
  '/docs',
  '/docs/',
  '/problems/{code}',
  '/effects/{file}',
  '/healthz',
  '/readyz',
];

/** Every path of the public listener, for the methods that a wrong request should have used. */
export const PUBLIC_PATHS: readonly KnownPath[] = [
  ...Object.values(operations),
  ...OPENAI_PATHS,
  ...DISCOVERY.map((path) => ({ method: 'GET', path })),
  ...MCP_PATHS,
];

export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const recorder = createRequestRecorder(options.services);
  const app = await createHttpServer({ ...options, paths: PUBLIC_PATHS, recorder });
  app.addHook('onClose', () => recorder.close());
  bindHealth(app, options.dependencies);
  await bindDiscovery(app, options);
  await bindCallbacks(app, createReceiveCallback(options.services));
  await bindPayments(app, options.services, options.payments);

  const authenticate = throttleUnknownKeys({
    authenticateKey: options.services.authenticateKey,
    isKnownKey: createKnownKeyCheck(options.services),
    limit: options.unknownKeyLimit,
  });
  const admitKey = createAdmitKey({ authenticate, limiter: options.limiter });
  bindOperations(app, {
    services: options.services,
    checkResponses: options.checkResponses,
    admit: createKeyAdmission(admitKey),
  });
  await bindMcp(app, {
    services: options.services,
    authenticate,
    limiter: options.limiter,
    dailyBudgetCoins: options.mcpDailyBudgetCoins,
    accessUrl: options.accessUrl,
  });
  await bindOpenai(app, { services: options.services, admitKey, waitSeconds: options.openaiWaitSeconds });
  // Last, so that the streams have ended before the connections are waited for.
  drainOnClose(app);
  return app;
}
