import { describeMailError, type Mailer } from '../../../platform/mail.ts';
import type { Payloads } from '../../../queue/queues.ts';
import { endpointPausedMail } from '../../people/mails.ts';
import { findOwner, requirePair } from '../../people/memberships.ts';
import type { Services } from '../../services.ts';
import { findEndpoint } from './endpoints.store.ts';

/**
 * Tells one owner that an endpoint was paused. Throws if the mail server does not take it now, so that the queue tries again. Nobody
 * gets a mail about an endpoint that works again, or that was deleted.
 */
export async function mailEndpointPaused(
  services: Pick<Services, 'db' | 'log'> & { readonly mail: Pick<Mailer, 'send'>; readonly consoleUrl: string },
  { accountId, endpointId, personId }: Payloads['mail-endpoint-paused'],
): Promise<void> {
  const endpoint = await findEndpoint(services.db, { accountId, endpointId });
  const owner = await findOwner(services.db, { accountId, personId });
  if (endpoint?.status !== 'paused' || owner === null) return;
  const { name, mode } = await requirePair(services.db, accountId);
  const text = endpointPausedMail({
    url: `${services.consoleUrl}/accounts/${accountId}/webhooks/${endpointId}`,
    accountName: name,
    isTest: mode === 'test',
    endpointUrl: endpoint.url,
    reason: endpoint.statusReason ?? '',
  });
  try {
    await services.mail.send({ to: owner.email, ...text });
  } catch (error) {
    const { isPermanent, fields } = describeMailError(error);
    services.log.warn(isPermanent ? 'pause of an endpoint not mailed' : 'mail about a paused endpoint delayed', {
      accountId,
      ...fields,
    });
    // Without the server's words, which may quote the recipient.
    if (!isPermanent) throw new Error('the mail server did not accept a mail about a paused endpoint');
  }
}
