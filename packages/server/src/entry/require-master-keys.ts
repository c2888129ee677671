import { checkMasterKeys } from '../domain/operator/check-master-keys.ts';
import type { KeyRing } from '../platform/crypto.ts';
import type { Db } from '../platform/db.ts';
import { ConfigError } from './config/config.ts';

/** A wrong key would invalidate every link and quote, and encrypt secrets that the right key cannot decrypt. */
export async function requireMasterKeys(services: { db: Db; keys: KeyRing }): Promise<void> {
  if (await checkMasterKeys(services)) return;
  throw new ConfigError(
    'MASTER_KEY is not a key of this database. To add a new key, put it before the old one: <new>,<old>. If the old key is lost, run `main.ts master-key forget`',
  );
}
