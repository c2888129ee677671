import { type KeyRing, seal } from '../../../platform/crypto.ts';
import type { Tx } from '../../../platform/db.ts';
import { recordAudit } from '../../operator/record-audit.ts';
import { newWebhookSecret } from './create-endpoint.ts';
import { setEndpointSecret } from './endpoints.store.ts';
import { lockEndpoint } from './read-endpoints.ts';

/** The old secret signs nothing after the commit: every delivery reads the row. */
export async function rotateSecret(
  tx: Tx,
  services: { keys: KeyRing },
  options: { accountId: string; endpointId: string; actor: string },
): Promise<{ secret: string }> {
  const { accountId, endpointId, actor } = options;
  await lockEndpoint(tx, options);
  const secret = newWebhookSecret();
  const secretSealed = seal({ keys: services.keys, plaintext: secret, rowId: endpointId });
  await setEndpointSecret(tx, { accountId, endpointId, secretSealed });
  await recordAudit(tx, { actor, action: 'webhook.secret_rotated', accountId, detail: { endpointId } });
  return { secret };
}
