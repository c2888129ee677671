import { withTx } from '../../platform/db.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Services } from '../services.ts';
import { requirePair } from './memberships.ts';
import { deletePairingsOfAccount } from './pairings.store.ts';
import { deletePeopleOfPair, findOtherOfPair } from './people.store.ts';

export interface EndedAccess {
  readonly members: number;
  /** The other account of the pair, unless it is erased too. */
  readonly notErased: string | null;
}

/**
 * Ends the pairings of an erased account. People belong to a pair: their memberships and invitations end with the live account. The
 * people themselves stay.
 */
export function endAccess(
  services: Pick<Services, 'db'>,
  { accountId, actor }: { accountId: string; actor: string },
): Promise<EndedAccess> {
  return withTx(services.db, async (tx) => {
    const { pairId, mode } = await requirePair(tx, accountId);
    await deletePairingsOfAccount(tx, accountId);
    const members = mode === 'live' ? await deletePeopleOfPair(tx, pairId) : [];
    for (const { personId, role } of members) {
      const detail = { personId, from: role, to: null };
      await recordAudit(tx, { actor, action: 'member.removed', accountId, detail });
    }
    return { members: members.length, notErased: await findOtherOfPair(tx, { pairId, accountId }) };
  });
}
