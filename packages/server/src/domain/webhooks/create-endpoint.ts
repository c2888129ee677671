import { randomBytes } from 'node:crypto';
import type { EventType } from '@atelier/contract';
import { type KeyRing, seal } from '../../platform/crypto.ts';
import type { Tx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { Problem } from '../../platform/problem.ts';
import { checkEndpointUrl } from '../../platform/safe-fetch/check-url.ts';
import { insertEndpoint } from './webhooks.store.ts';

const SECRET_BYTES = 32;

export interface UrlPolicy {
  readonly allowHttp: boolean;
  readonly allowCidrs: readonly string[];
  readonly ownHosts: readonly string[];
}

export interface NewEndpoint {
  readonly accountId: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly keyId?: string | null;
}

export function newWebhookSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64url')}`;
}

/** The secret is in the answer and nowhere else; the row keeps it sealed. */
export async function createEndpoint(
  tx: Tx,
  services: { keys: KeyRing; urlPolicy: UrlPolicy },
  endpoint: NewEndpoint,
): Promise<{ id: string; secret: string }> {
  const checked = checkEndpointUrl(endpoint.url, services.urlPolicy);
  if (!checked.ok) {
    throw new Problem('invalid_params', `The endpoint's URL is refused: ${checked.reason}`, {
      issues: [{ path: 'url', message: checked.reason }],
    });
  }
  const id = newId();
  const secret = newWebhookSecret();
  await insertEndpoint(tx, {
    id,
    accountId: endpoint.accountId,
    url: endpoint.url,
    events: endpoint.events,
    keyId: endpoint.keyId ?? null,
    secretSealed: seal({ keys: services.keys, plaintext: secret, rowId: id }),
  });
  return { id, secret };
}
