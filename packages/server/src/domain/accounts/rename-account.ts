import { withTx } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Services } from '../services.ts';
import { renamePair } from './accounts.store.ts';

/** Renames a pair of accounts. Both have the same name. */
export function renameAccount(
  services: Pick<Services, 'db'>,
  options: { accountId: string; name: string; actor: string },
): Promise<{ name: string }> {
  const name = options.name.trim();
  const { accountId, actor } = options;
  return withTx(services.db, async (tx) => {
    if (!(await renamePair(tx, { accountId, name }))) throw new Problem('not_found', 'There is no such account.');
    // Without the name: the log keeps no words that an erasure would have to remove.
    await recordAudit(tx, { actor, action: 'account.renamed', accountId, detail: {} });
    return { name };
  });
}
