import { setTimeout as sleep } from 'node:timers/promises';
import { eraseAccountFiles } from '../../domain/assets/erase-account-files.ts';
import { forgetBudgets } from '../../domain/budgets/budgets.ts';
import { beginErasure, eraseAccountGenerations } from '../../domain/generations/erase-account-generations.ts';
import { forgetRequests } from '../../domain/operator/request-records.ts';
import { endCheckouts } from '../../domain/payments/checkouts.ts';
import { endAccess } from '../../domain/people/end-access.ts';
import type { Services } from '../../domain/services.ts';
import { eraseAccountDeliveries } from '../../domain/webhooks/deliveries/erase-account-deliveries.ts';

const POLL_MS = 1_000;

export interface ErasedAccount {
  readonly canceled: number;
  readonly erased: number;
  readonly files: number;
  /** People who belonged to it. */
  readonly members: number;
  /** The other account of the pair, if it is not erased. */
  readonly notErased: string | null;
  /** Still running after the wait: their texts and outputs remain until they end and the erasure is repeated. */
  readonly live: number;
}

/**
 * Erases an account, and waits for its running generations. The first step refuses everything new. Each round counts what still runs,
 * then erases what has ended: a generation that ends during a round is erased by it or by the next one. Safe to repeat.
 */
export async function eraseAccount(
  services: Pick<Services, 'db' | 'store' | 'wake'>,
  options: { accountId: string; actor: string; waitMs: number; pollMs?: number },
): Promise<ErasedAccount> {
  const { accountId, actor, waitMs, pollMs = POLL_MS } = options;
  const endsAtMs = performance.now() + waitMs;
  await beginErasure(services, { accountId, actor });
  await endCheckouts(services, accountId);
  const { members, notErased } = await endAccess(services, { accountId, actor });
  const sum = { canceled: 0, erased: 0, files: 0 };
  for (;;) {
    const { canceled, erased, live } = await eraseAccountGenerations(services, accountId);
    await eraseAccountDeliveries(services, accountId);
    await forgetBudgets(services, accountId);
    await forgetRequests(services, accountId);
    const { files } = await eraseAccountFiles(services, accountId);
    sum.canceled += canceled;
    sum.erased += erased;
    sum.files += files;
    if (live === 0 || performance.now() >= endsAtMs) return { ...sum, members, notErased, live };
    await sleep(pollMs);
  }
}
