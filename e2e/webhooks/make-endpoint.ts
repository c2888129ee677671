import { EVENT_TYPES, type EventType } from '@atelier/contract';
import { createEndpoint } from '@atelier/server/domain/webhooks/endpoints/create-endpoint.ts';
import { createKeyRing } from '@atelier/server/platform/crypto.ts';
import { withTx } from '@atelier/server/platform/db.ts';
import type { Stack } from '../harness/start-stack.ts';

const urlPolicy = { allowHttp: true, allowCidrs: ['127.0.0.0/8'], ownHosts: [] };

/** Creates an endpoint like the account page. */
export function makeEndpoint(
  stack: Pick<Stack, 'db' | 'env'>,
  endpoint: { accountId: string; url: string; events?: readonly EventType[]; keyId?: string },
): Promise<{ id: string; secret: string }> {
  const keys = createKeyRing([Buffer.from(stack.env.MASTER_KEY as string, 'base64')]);
  return withTx(stack.db, (tx) =>
    createEndpoint(tx, { keys, urlPolicy }, { events: EVENT_TYPES, actor: 'test', ...endpoint }),
  );
}
