import { createDb, type Db, type DbOptions } from '../platform/db.ts';
import type { Config } from './config/config.ts';

/** Connections past a pooler: for statements that take longer than those of a request, whose timeout a pooler would not pass on. */
export function createDirectDb(
  config: Pick<Config, 'databaseDirectUrl' | 'databasePrepare'>,
  options: Pick<DbOptions, 'applicationName' | 'maxConnections' | 'onIdleError'> & { statementTimeoutMs: number },
): Db {
  return createDb({ url: config.databaseDirectUrl, prepare: config.databasePrepare, ...options });
}
