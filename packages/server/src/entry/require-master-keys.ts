import { checkMasterKeys } from '../domain/operator/check-master-keys.ts';
import type { KeyRing } from '../platform/crypto.ts';
import type { Db } from '../platform/db.ts';
import { ConfigError } from './config/config.ts';

/** A wrong key would refuse every link and quote, and seal secrets that the right one cannot open. */
export async function requireMasterKeys(services: { db: Db; keys: KeyRing }): Promise<void> {
  if (await checkMasterKeys(services)) return;
  throw new ConfigError(
    'MASTER_KEY is not a key of this database. To introduce a new key, put it in front of the old one: <new>,<old>. If the old one is lost: `main.ts master-key forget`',
  );
}
