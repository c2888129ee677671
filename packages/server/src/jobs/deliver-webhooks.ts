import { deliverWebhook } from '../domain/webhooks/deliveries/deliver-webhook.ts';
import { loadDeliveries } from '../domain/webhooks/deliveries/load-deliveries.ts';
import type { JobHandler } from './job-handler.ts';

/** The whole batch is loaded at once; each delivery is then sent separately. */
export const deliverWebhooks: JobHandler<'deliver-webhook'> = (services, jobs) => {
  const loaded = loadDeliveries(
    services,
    jobs.map((job) => job.data.deliveryId),
  );
  return jobs.map(async (job) => {
    const { deliveryId, round, attempt } = job.data;
    const delivery = (await loaded).get(deliveryId);
    if (delivery !== undefined) await deliverWebhook(services, delivery, { jobId: job.id, round, attempt });
  });
};
