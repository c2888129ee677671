import type { ConsoleKey } from '@atelier/contract/console';
import { createApiKey } from '../../../domain/accounts/create-api-key.ts';
import { getApiKey, listApiKeys } from '../../../domain/accounts/list-api-keys.ts';
import { revokeApiKey } from '../../../domain/accounts/revoke-api-key.ts';
import { updateApiKey } from '../../../domain/accounts/update-api-key.ts';
import type { Clock } from '../../../platform/clock.ts';
import { withTx } from '../../../platform/db.ts';
import { invalidParams } from '../../../platform/problem.ts';
import type { ConsoleRoutes } from '../console-handler.ts';

export const keyRoutes: ConsoleRoutes<'listKeys' | 'createKey' | 'updateKey' | 'revokeKey'> = {
  listKeys: async (services, { accountId }) => ({ items: (await listApiKeys(services, accountId)).map(showKey) }),

  createKey: (services, { accountId, actor, body }) =>
    withTx(services.db, async (tx) => {
      const { id, key } = await createApiKey(tx, services.cell, {
        accountId,
        name: body.name.trim(),
        scopes: body.scopes,
        monthlyCap: body.monthlySpendCapCoins ?? null,
        requestCap: body.requestCapCoins ?? null,
        rateLimit: services.keyRateLimit,
        expiresAt: readExpiry(services.clock, body.expiresAt) ?? null,
        actor,
      });
      return { key: showKey(await getApiKey(tx, { accountId, keyId: id })), secret: key };
    }),

  updateKey: (services, { accountId, actor, params: { keyId }, body }) =>
    withTx(services.db, async (tx) => {
      const { name, scopes, monthlySpendCapCoins, requestCapCoins } = body;
      const expiresAt = readExpiry(services.clock, body.expiresAt);
      await updateApiKey(tx, {
        accountId,
        keyId,
        actor,
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(scopes === undefined ? {} : { scopes }),
        ...(monthlySpendCapCoins === undefined ? {} : { monthlyCap: monthlySpendCapCoins }),
        ...(requestCapCoins === undefined ? {} : { requestCap: requestCapCoins }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      });
      return showKey(await getApiKey(tx, { accountId, keyId }));
    }),

  revokeKey: (services, { accountId, actor, params: { keyId } }) =>
    withTx(services.db, async (tx) => {
      await revokeApiKey(tx, { accountId, keyId, actor });
      return showKey(await getApiKey(tx, { accountId, keyId }));
    }),
};

function readExpiry(clock: Clock, text: string | null | undefined): Date | null | undefined {
  if (text === undefined || text === null) return text;
  const expiresAt = new Date(text);
  if (expiresAt > clock.now()) return expiresAt;
  throw invalidParams('The body is not valid', [{ path: 'expiresAt', message: 'must be in the future' }]);
}

export function showKey(key: Awaited<ReturnType<typeof getApiKey>>): ConsoleKey {
  return {
    id: key.id,
    name: key.name,
    prefix: key.prefix,
    last4: key.last4,
    mode: key.mode,
    scopes: key.scopes,
    monthlySpendCapCoins: key.monthlyCap,
    requestCapCoins: key.requestCap,
    spentThisMonthCoins: key.spent,
    status: key.status,
    createdAt: key.createdAt.toISOString(),
    lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    revokedAt: key.revokedAt?.toISOString() ?? null,
  };
}
