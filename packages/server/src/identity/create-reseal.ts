import { parseEnvelope, type SecretConfig, symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto';
import type { Reseal } from '../domain/people/reseal-second-factors.ts';
import type { KeyRing } from '../platform/crypto.ts';
import { readIdentitySecrets } from './identity-secrets.ts';

/** Encrypts again what better-auth encrypted. A text that has the first master key is returned as it is. */
export function createReseal(keys: KeyRing): Reseal {
  const secrets = readIdentitySecrets(keys);
  const [first] = secrets;
  if (first === undefined) throw new Error('at least one master key is required');
  const key: SecretConfig = {
    keys: new Map(secrets.map(({ version, value }) => [version, value])),
    currentVersion: first.version,
  };
  return async (sealed) => {
    const version = parseEnvelope(sealed)?.version;
    if (version === undefined || !key.keys.has(version)) return null;
    if (version === key.currentVersion) return sealed;
    return symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data: sealed }) });
  };
}
