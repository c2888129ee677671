import { deliverWebhook as deliver } from '../domain/webhooks/deliver-webhook.ts';
import { loadDeliveries } from '../domain/webhooks/load-deliveries.ts';
import type { Payloads } from '../queue/queues.ts';
import type { JobHandler } from './job-handler.ts';

/** The whole batch is loaded at once; each is then sent on its own. */
export const deliverWebhook: JobHandler = (services, jobs) => {
  const payloadOf = (data: unknown) => data as Payloads['deliver-webhook'];
  const loaded = loadDeliveries(
    services,
    jobs.map((job) => payloadOf(job.data).deliveryId),
  );
  return jobs.map(async (job) => {
    const { deliveryId, round, attempt } = payloadOf(job.data);
    const delivery = (await loaded).get(deliveryId);
    if (delivery !== undefined) await deliver(services, delivery, { jobId: job.id, round, attempt });
  });
};
