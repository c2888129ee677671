import { describeMailError, type Mailer } from '../../platform/mail.ts';
import type { Payloads } from '../../queue/queues.ts';
import { budgetMail } from '../people/mails.ts';
import { findPayer, requirePair } from '../people/memberships.ts';
import type { Services } from '../services.ts';
import { findBudget } from './budgets.store.ts';

/**
 * Mails one alert to one person. Throws if the mail server does not take it now, so that the queue tries again. A person who is no
 * longer a payer gets no mail, and neither does anyone about a budget that was deleted.
 */
export async function mailBudgetAlert(
  services: Pick<Services, 'db' | 'log'> & { readonly mail: Pick<Mailer, 'send'>; readonly consoleUrl: string },
  alert: Payloads['mail-budget-alert'],
): Promise<void> {
  const { accountId, budgetId, personId } = alert;
  const budget = await findBudget(services.db, { accountId, budgetId });
  const payer = await findPayer(services.db, { accountId, personId });
  if (budget === null || payer === null) return;
  const { name, mode } = await requirePair(services.db, accountId);
  const text = budgetMail({
    url: `${services.consoleUrl}/accounts/${accountId}/budgets`,
    accountName: name,
    isTest: mode === 'test',
    projectId: budget.projectId,
    month: alert.month,
    percent: alert.percent,
    coins: alert.coins,
    spentCoins: alert.spentCoins,
  });
  try {
    await services.mail.send({ to: payer.email, ...text });
  } catch (error) {
    const { isPermanent, fields } = describeMailError(error);
    services.log.warn(isPermanent ? 'budget alert not mailed' : 'budget alert delayed', { accountId, ...fields });
    // Without the server's words, which may quote the recipient.
    if (!isPermanent) throw new Error('the mail server did not accept a budget alert');
  }
}
