import { findTraceparents } from '../domain/generations/read/find-traceparents.ts';
import { deliverWebhook } from '../domain/webhooks/deliveries/deliver-webhook.ts';
import { loadDeliveries } from '../domain/webhooks/deliveries/load-deliveries.ts';
import type { JobHandler, WorkerServices } from './job-handler.ts';

/** The whole batch is loaded at once; each delivery is then sent separately. */
export const deliverWebhooks: JobHandler<'deliver-webhook'> = (services, jobs) => {
  const loaded = load(
    services,
    jobs.map((job) => job.data.deliveryId),
  );
  return jobs.map(async (job) => {
    const { deliveryId, round, attempt } = job.data;
    const { deliveries, traces } = await loaded;
    const delivery = deliveries.get(deliveryId);
    if (delivery === undefined) return;
    const traceparent = traces.get(delivery.row.generationId ?? '') ?? null;
    await deliverWebhook(services, delivery, { jobId: job.id, round, attempt, traceparent });
  });
};

async function load(services: WorkerServices, ids: readonly string[]) {
  const deliveries = await loadDeliveries(services, ids);
  const generationIds = [...deliveries.values()].map(({ row }) => row.generationId);
  return { deliveries, traces: await findTraceparents(services, generationIds) };
}
