import { randomBytes } from 'node:crypto';
import type { EndpointEvent } from '@atelier/contract/console';
import { type KeyRing, seal } from '../../../platform/crypto.ts';
import type { Tx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { Problem } from '../../../platform/problem.ts';
import { recordAudit } from '../../operator/record-audit.ts';
import { checkEndpoint, type UrlPolicy } from './check-endpoint.ts';
import { findEndpoints, insertEndpoint, lockAccountRow } from './endpoints.store.ts';

const SECRET_BYTES = 32;
export const MAX_ENDPOINTS = 50;

export interface NewEndpoint {
  readonly accountId: string;
  readonly url: string;
  readonly events: readonly EndpointEvent[];
  /** Only generations of this key; null or absent: of every key. */
  readonly keyId?: string | null;
  /** Who requested it; the owner of the account by default. */
  readonly actor?: string;
}

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/** The secret is in this response only; the row stores it sealed. */
export async function createEndpoint(
  tx: Tx,
  services: { keys: KeyRing; urlPolicy: UrlPolicy },
  endpoint: NewEndpoint,
): Promise<{ id: string; secret: string }> {
  const { accountId, actor = 'owner' } = endpoint;
  if (!(await lockAccountRow(tx, accountId))) throw new Problem('not_found', 'There is no such account.');
  if ((await findEndpoints(tx, accountId)).length >= MAX_ENDPOINTS) {
    throw new Problem('invalid_params', `An account has at most ${MAX_ENDPOINTS} webhook endpoints.`);
  }
  const checked = await checkEndpoint(tx, services.urlPolicy, { ...endpoint, keyId: endpoint.keyId ?? null });
  const id = newId();
  const secret = newWebhookSecret();
  await insertEndpoint(tx, {
    id,
    accountId,
    ...checked,
    secretSealed: seal({ keys: services.keys, plaintext: secret, rowId: id }),
  });
  await recordAudit(tx, {
    actor,
    action: 'webhook.created',
    accountId,
    detail: { endpointId: id, url: checked.url, events: checked.events, keyId: checked.keyId },
  });
  return { id, secret };
}
