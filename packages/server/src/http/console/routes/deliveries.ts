import type { Attempt, Delivery, DeliveryDetail } from '@atelier/contract/console';
import { getDelivery } from '../../../domain/webhooks/deliveries/get-delivery.ts';
import { listDeliveryPage } from '../../../domain/webhooks/deliveries/list-deliveries.ts';
import { redeliver, redeliverFailed } from '../../../domain/webhooks/deliveries/redeliver.ts';
import type { ConsoleRoutes, ConsoleServices } from '../console-handler.ts';

export const deliveryRoutes: ConsoleRoutes<'listDeliveries' | 'redeliverFailed' | 'getDelivery' | 'redeliver'> = {
  async listDeliveries(services, { accountId, params: { endpointId }, query }) {
    const { limit, cursor, status } = query;
    const { items, hasMore } = await listDeliveryPage(services, {
      accountId,
      endpointId,
      ...(limit === undefined ? {} : { limit }),
      ...(status === undefined ? {} : { status }),
      ...(cursor === undefined ? {} : { beforeId: cursor }),
    });
    return { items: items.map(showDelivery), nextCursor: hasMore ? (items.at(-1)?.id ?? null) : null };
  },

  redeliverFailed: (services, { accountId, actor, params: { endpointId }, body }) =>
    redeliverFailed(services, { accountId, endpointId, actor, since: new Date(body.since) }),

  getDelivery: (services, { accountId, params: { deliveryId } }) => showDetail(services, { accountId, deliveryId }),

  async redeliver(services, { accountId, actor, params: { deliveryId } }) {
    await redeliver(services, { accountId, deliveryId, actor });
    return showDetail(services, { accountId, deliveryId });
  },
};

type DeliveryRow = Awaited<ReturnType<typeof getDelivery>>['row'];

async function showDetail(
  services: ConsoleServices,
  key: { accountId: string; deliveryId: string },
): Promise<DeliveryDetail> {
  const { row, request } = await getDelivery(services, key);
  return { ...showDelivery(row), attempts: row.attempts.map(showAttempt), request };
}

function showDelivery(row: DeliveryRow): Delivery {
  const last = row.attempts.at(-1);
  return {
    id: row.id,
    endpointId: row.endpointId,
    eventId: row.eventId,
    eventType: row.eventType,
    generationId: row.generationId,
    isTest: row.isTest,
    status: row.status,
    reason: row.reason,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
    nextAttemptAt: row.status === 'pending' ? (row.nextAt?.toISOString() ?? null) : null,
    attemptCount: row.attempts.length,
    lastAttempt: last === undefined ? null : showAttempt(last),
  };
}

function showAttempt(attempt: DeliveryRow['attempts'][number]): Attempt {
  const { excerpt, startedAt, finishedAt, round, n, ok, statusCode, error, latencyMs } = attempt;
  return {
    round,
    n,
    // The database writes these with its own format of the zone.
    startedAt: new Date(startedAt).toISOString(),
    finishedAt: new Date(finishedAt).toISOString(),
    ok,
    statusCode,
    error,
    latencyMs,
    responseBody: excerpt,
  };
}
