import { UUID_PATTERN } from '@atelier/contract';
import type { DeskAccountDetail } from '@atelier/contract/desk';
import { listAccounts } from '../../../domain/accounts/list-accounts.ts';
import { lockAccount } from '../../../domain/accounts/lock-account.ts';
import { getOperatorAccount, searchAccounts } from '../../../domain/accounts/search-accounts.ts';
import { setAccountLimits } from '../../../domain/generations/set-account-limits.ts';
import { adjustCoins } from '../../../domain/ledger/adjust-coins.ts';
import { grantCoins } from '../../../domain/ledger/grant-coins.ts';
import { listTransfers } from '../../../domain/ledger/list-transfers.ts';
import { requireOwnReference } from '../../../domain/ledger/move-once.ts';
import { listAudit } from '../../../domain/operator/list-audit.ts';
import { listMembers } from '../../../domain/people/memberships.ts';
import { listAccountsOfPerson } from '../../../domain/people/operators.ts';
import { withTx } from '../../../platform/db.ts';
import type { DeskRoutes, DeskServices } from '../desk-handler.ts';
import { showAudit } from '../show-audit.ts';

const MAX_LISTED = 100;
const SHOWN = 20;
const UUID = new RegExp(UUID_PATTERN);

export const accountRoutes: DeskRoutes<
  'searchAccounts' | 'getDeskAccount' | 'grantCoins' | 'adjustCoins' | 'lockAccount' | 'setLimits'
> = {
  searchAccounts: async (services, { query }) => {
    const search = query.search?.trim() ?? '';
    if (search === '') return { items: (await listAccounts(services)).slice(0, MAX_LISTED) };
    if (UUID.test(search)) return { items: await searchAccounts(services, { ids: [search] }) };
    if (!search.includes('@')) return { items: await searchAccounts(services, { name: search }) };
    return { items: await searchAccounts(services, { ids: await listAccountsOfPerson(services, search) }) };
  },

  getDeskAccount: (services, { params: { accountId } }) => showAccount(services, accountId),

  grantCoins: (services, { actor, params: { accountId }, body }) => {
    requireOwnReference(body.reference);
    return withTx(services.db, (tx) => grantCoins(tx, { accountId, actor, ...body }));
  },
  adjustCoins: (services, { actor, params: { accountId }, body }) => {
    requireOwnReference(body.reference);
    return withTx(services.db, (tx) => adjustCoins(tx, { accountId, actor, ...body }));
  },

  lockAccount: async (services, { actor, params: { accountId }, body }) => {
    await withTx(services.db, (tx) => lockAccount(tx, { accountId, actor, ...body }));
    return showAccount(services, accountId);
  },
  setLimits: async (services, { actor, params: { accountId }, body }) => {
    await setAccountLimits(services, { accountId, actor, ...body });
    return showAccount(services, accountId);
  },
};

async function showAccount(services: DeskServices, accountId: string): Promise<DeskAccountDetail> {
  const account = await getOperatorAccount(services, accountId);
  const [members, transfers, audit] = await Promise.all([
    listMembers(services, accountId),
    listTransfers(services, { accountId, limit: SHOWN }),
    listAudit(services, { accountId, since: null, limit: SHOWN }),
  ]);
  return {
    ...account,
    createdAt: account.createdAt.toISOString(),
    members: members.map(({ personId, name, email, role }) => ({ personId, name, email, role })),
    transfers: transfers.map(({ reference: _reference, createdAt, ...row }) => ({
      ...row,
      createdAt: createdAt.toISOString(),
    })),
    audit: await showAudit(services, audit),
  };
}
