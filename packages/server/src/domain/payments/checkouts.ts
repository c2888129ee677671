import type { Checkout, CoinPackages } from '@atelier/contract/console';
import { withTx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import { Problem } from '../../platform/problem.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Services } from '../services.ts';
import { countOpenCheckouts, expireOpenCheckouts, findCheckout, insertCheckout } from './checkouts.store.ts';
import type { Payments } from './payments.ts';

/** Unfinished purchases of an account in a day. */
const MAX_OPEN = 50;
const RETRY_AFTER_SECONDS = 3_600;

export function listCoinPackages({ payments }: { payments: Payments }): CoinPackages {
  const { driver, currency, packages, contact } = payments.offer;
  return { driver, currency, contact, packages: [...packages] };
}

interface NewCheckout {
  readonly accountId: string;
  readonly packageId: string;
  readonly actor: string;
  readonly email: string;
}

/** Begins a purchase, and returns the address of the page where the person pays. */
export async function createCheckout(
  services: Pick<Services, 'db'> & { readonly payments: Payments; readonly consoleUrl: string },
  { accountId, packageId, actor, email }: NewCheckout,
): Promise<{ id: string; url: string }> {
  const { db, payments, consoleUrl } = services;
  const { currency, packages } = payments.offer;
  const chosen = packages.find(({ id }) => id === packageId);
  if (chosen === undefined) {
    throw new Problem('invalid_params', 'There is no such package.', {
      issues: [{ path: 'packageId', message: 'must be a package of this installation' }],
    });
  }
  if ((await countOpenCheckouts(db, accountId)) >= MAX_OPEN) {
    throw new Problem('rate_limited', 'Too many unfinished purchases. Finish one of them, or try again later.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  const id = newId();
  const { amount, coins } = chosen;
  await withTx(db, async (tx) => {
    if (!(await insertCheckout(tx, { accountId, id, amount, currency, coins }))) {
      throw new Problem('invalid_params', 'A test account cannot buy coins. Switch to the live account.');
    }
    await recordAudit(tx, { actor, action: 'checkout.opened', accountId, detail: { checkoutId: id, coins } });
  });
  const page = `${consoleUrl}/accounts/${accountId}`;
  const { url } = await payments.openCheckout({
    checkoutId: id,
    accountId,
    amount,
    currency,
    coins,
    email,
    successUrl: `${page}/checkouts/${id}`,
    cancelUrl: `${page}/ledger`,
  });
  return { id, url };
}

/** Ends the open purchases of an erased account. A payment that arrives later is refused: the operator returns it. */
export function endCheckouts(services: Pick<Services, 'db'>, accountId: string): Promise<void> {
  return expireOpenCheckouts(services.db, accountId);
}

export async function getCheckout(
  services: Pick<Services, 'db'>,
  given: { accountId: string; checkoutId: string },
): Promise<Checkout> {
  const row = await findCheckout(services.db, { accountId: given.accountId, id: given.checkoutId });
  if (row === null) throw new Problem('not_found', 'There is no such purchase.');
  const { id, status, amount, currency, coins, createdAt } = row;
  return { id, status, amount, currency, coins, createdAt: createdAt.toISOString() };
}
