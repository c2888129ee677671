import { type EventType, events, type Generation, type WebhookEvent } from '@atelier/contract';
import type { BudgetReached, EndpointEvent } from '@atelier/contract/console';
import { withTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { recordAudit } from '../../operator/record-audit.ts';
import type { Services } from '../../services.ts';
import { lockEndpoint } from '../endpoints/read-endpoints.ts';
import { insertTestDelivery } from './deliveries.store.ts';
import type { SentEvent } from './webhooks.store.ts';

/**
 * Sends an event marked `test` like a real one: signed, recorded and listed with the deliveries. It is sent once, also to a
 * paused endpoint, appears in no feed and does not affect the endpoint's health.
 */
export async function sendTestEvent(
  services: Pick<Services, 'db' | 'wake' | 'clock' | 'cdnUrl'>,
  options: { accountId: string; endpointId: string; type: EndpointEvent; actor: string },
): Promise<{ deliveryId: string; event: SentEvent }> {
  const { accountId, endpointId, type, actor } = options;
  const now = services.clock.now();
  const event = type === 'budget.reached' ? makeTestNotice(now) : makeTestEvent({ type, now, cdnUrl: services.cdnUrl });
  const deliveryId = newId();
  await withTx(services.db, async (tx) => {
    await lockEndpoint(tx, options);
    await insertTestDelivery(tx, { id: deliveryId, endpointId, accountId, event });
    await recordAudit(tx, { actor, action: 'webhook.tested', accountId, detail: { endpointId, deliveryId, type } });
  });
  services.wake(['deliver-webhook']);
  return { deliveryId, event };
}

/** A budget that does not exist. */
function makeTestNotice(now: Date): BudgetReached {
  const createdAt = now.toISOString();
  const budget = {
    id: newId(),
    projectId: 'test',
    month: createdAt.slice(0, 7),
    coins: 100,
    spentCoins: 80,
    percent: 80,
  };
  return { id: newId(), type: 'budget.reached', createdAt, test: true, data: { budget } };
}

const COINS = 7;

/** An event of the given type about a generation that does not exist. Its links are well-formed but point to no file. */
function makeTestEvent(options: { type: EventType; now: Date; cdnUrl: string }): WebhookEvent {
  const { type, now } = options;
  const at = now.toISOString();
  const { status } = events[type];
  const started = status === 'canceled' ? null : at;
  const outputId = newId();
  const link = `${options.cdnUrl}/v1/${outputId}`;
  const outputs: Generation['outputs'] = [
    {
      id: outputId,
      kind: 'image',
      url: `${link}/original`,
      thumbnailUrl: `${link}/thumbnail`,
      posterUrl: null,
      mimeType: 'image/png',
      width: 1024,
      height: 1024,
      durationSeconds: null,
    },
  ];
  return {
    id: newId(),
    type,
    createdAt: at,
    test: true,
    data: {
      generation: {
        id: newId(),
        modelId: 'test',
        modelName: 'Test event',
        taskType: 'image.generate',
        modality: 'image',
        workspace: 'image',
        effect: null,
        status,
        progress: status === 'succeeded' ? 1 : null,
        queuePosition: null,
        params: { prompt: 'a test of this endpoint' },
        coinsQuoted: COINS,
        coinsCharged: status === 'succeeded' ? COINS : 0,
        outputs: status === 'succeeded' ? outputs : [],
        outputsRequested: 1,
        error: status === 'failed' ? { code: 'internal', message: 'A test of a failure. Nothing was charged.' } : null,
        projectId: null,
        createdAt: at,
        startedAt: started,
        completedAt: at,
      },
    },
  };
}
