import type { OperationId } from '@atelier/contract';
import { newApiKey } from '@atelier/server/domain/accounts/api-key.ts';
import { revokeApiKey } from '@atelier/server/domain/accounts/revoke-api-key.ts';
import { withTx } from '@atelier/server/platform/db.ts';
import { makeAccount, makeKey } from '../../harness/account.ts';
import type { Answer } from '../../harness/client.ts';
import { ask, otherScopes, type Provoke } from './world.ts';

/** Problems of every authenticated operation. `unavailable` is tested elsewhere, since it needs a database outage. */
export function guarded(operation: OperationId, unavailable: (operation: OperationId) => Promise<Answer>) {
  return {
    // No key at all: the empty header is what an unset variable in a client sends.
    unauthorized: (world) => ask(world, operation, { headers: { authorization: '' }, key: null }),
    invalid_api_key: (world) => ask(world, operation, { key: newApiKey({ cell: 'c1', mode: 'test' }).key }),
    api_key_revoked: async (world) => {
      const { accountId } = world.account;
      const { id, key } = await makeKey(world.stack, { accountId });
      await withTx(world.stack.db, (tx) => revokeApiKey(tx, { accountId, keyId: id, actor: 'test' }));
      return ask(world, operation, { key });
    },
    api_key_expired: async (world) => {
      const { key } = await makeKey(world.stack, world.account, { expiresAt: new Date(Date.now() - 1_000) });
      return ask(world, operation, { key });
    },
    insufficient_scope: async (world) => {
      const { key } = await makeKey(world.stack, world.account, { scopes: otherScopes(operation) });
      return ask(world, operation, { key });
    },
    rate_limited: async (world) => {
      const { key } = await makeAccount(world.stack, { keyRateLimit: 1 });
      await ask(world, 'getAccount', { key });
      return ask(world, operation, { key });
    },
    invalid_params: (world) => ask(world, operation, { query: '?no_such_parameter=1' }),
    unavailable: () => unavailable(operation),
  } satisfies Record<string, Provoke>;
}
