import { type DeliveryJob, deliverWebhook as deliver, loadDeliveries } from '../domain/webhooks/deliver-webhook.ts';
import type { JobHandler } from './job-handler.ts';

export const deliverWebhook: JobHandler = (services, jobs) => {
  const payloads = jobs.map((job) => job.data as DeliveryJob);
  const loaded = loadDeliveries(
    services,
    payloads.map((payload) => payload.deliveryId),
  ).then((rows) => new Map(rows.map((row) => [row.id, row])));
  return payloads.map(async (payload) => {
    const row = (await loaded).get(payload.deliveryId);
    if (row !== undefined) await deliver(services, row, payload);
  });
};
