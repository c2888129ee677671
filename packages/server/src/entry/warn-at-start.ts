import { describeDatabaseRole } from '../domain/operator/describe-database-role.ts';
import type { Services } from '../domain/services.ts';
import { errorFields } from '../platform/log.ts';
import { createRedis } from '../platform/redis.ts';
import type { Config } from './config/config.ts';
import { passes } from './roles/role.ts';

const REDIS_TIMEOUT_MS = 3_000;
const STORE_TIMEOUT_MS = 5_000;

/** Warns about what an operator should correct although the service runs. Nothing waits for these checks. */
export async function warnAtStart(
  config: Config,
  services: Pick<Services, 'db' | 'store' | 'log'>,
  role: string,
): Promise<void> {
  const { log } = services;
  for (const { name, meant } of config.unknownSettings) {
    log.warn('unknown environment variable resembles a setting', {
      reason: meant === null ? name : `${name}: did you mean ${meant}?`,
    });
  }
  const usesRedis = role === 'api' || role === 'console' || role === 'desk' || role === 'all';
  await Promise.all([
    warnAboutDatabaseRole(services),
    warnUnless('object store unavailable', () => passes(() => services.store.check(), STORE_TIMEOUT_MS)),
    usesRedis && warnUnless('Redis unavailable: each process counts rate limits separately', () => answers(config)),
  ]);

  async function warnUnless(message: string, check: () => Promise<boolean>): Promise<void> {
    if (!(await check())) log.warn(message);
  }
}

async function warnAboutDatabaseRole(services: Pick<Services, 'db' | 'log'>): Promise<void> {
  try {
    const found = await describeDatabaseRole(services);
    if (found === null) return;
    services.log.warn(
      `DATABASE_URL logs in as ${found === 'owner' ? 'the owner of the tables' : 'a superuser'}: ` +
        'use a role that is only a member of atelier_app, so that it cannot change the ledger',
    );
  } catch (error) {
    services.log.warn('checking the privileges of the database role failed', errorFields(error));
  }
}

async function answers(config: Config): Promise<boolean> {
  const redis = createRedis({ url: config.redisUrl });
  try {
    return await passes(
      () =>
        new Promise<void>((resolve, reject) => {
          redis.once('ready', () => redis.ping().then(() => resolve(), reject));
        }),
      REDIS_TIMEOUT_MS,
    );
  } finally {
    redis.disconnect();
  }
}
