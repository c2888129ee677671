import { describeDatabaseRole } from '../domain/operator/describe-database-role.ts';
import type { Services } from '../domain/services.ts';
import { errorFields } from '../platform/log.ts';
import { createRedis } from '../platform/redis.ts';
import type { Config } from './config/config.ts';
import { findUnsafeSettings } from './config/find-unsafe-settings.ts';
import { passes } from './roles/role.ts';

const REDIS_TIMEOUT_MS = 3_000;
const STORE_TIMEOUT_MS = 5_000;
const DATABASE_ROLES = { superuser: 'a superuser', owner: 'the owner of the tables', service: 'the running service' };

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
  for (const { setting, reason } of findUnsafeSettings(config))
    log.warn('unsafe setting', { reason: `${setting}=${reason}` });
  const usesRedis = role === 'api' || role === 'console' || role === 'desk' || role === 'all';
  await Promise.all([
    warnAboutDatabaseRole(services, role),
    warnUnless('object store unavailable', () => passes(() => services.store.check(), STORE_TIMEOUT_MS)),
    usesRedis && warnUnless('Redis unavailable: each process counts rate limits separately', () => answers(config)),
  ]);

  async function warnUnless(message: string, check: () => Promise<boolean>): Promise<void> {
    if (!(await check())) log.warn(message);
  }
}

async function warnAboutDatabaseRole(services: Pick<Services, 'db' | 'log'>, role: string): Promise<void> {
  try {
    const found = await describeDatabaseRole(services);
    if (found === null || (found === 'service' && role !== 'desk')) return;
    services.log.warn(
      `DATABASE_URL logs in as ${DATABASE_ROLES[found]}: use a role that is only a member of ` +
        `${role === 'desk' ? 'atelier_desk' : 'atelier_app'}, so that it has no other rights`,
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
