import type { WebhookEvent } from '@atelier/contract';
import { unseal } from '../../platform/crypto.ts';
import { withStatementTx } from '../../platform/db.ts';
import { faultPoint } from '../../platform/fault-point.ts';
import { EgressError } from '../../platform/safe-fetch/egress-error.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import { findGenerationsById } from '../generations/find-generations-by-id.ts';
import type { Services } from '../services.ts';
import { decideNextStep } from './retry-schedule.ts';
import { signDelivery } from './sign-delivery.ts';
import { type DeliveryRow, findDeliveries, recordAttempt, stopDelivery } from './webhooks.store.ts';

const TIMEOUT_MS = 10_000;
const MAX_ERROR_LENGTH = 500;

export interface DeliveryServices extends Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl' | 'telemetry'> {
  readonly safeFetch: SafeFetch;
  readonly webhookHeaderPrefix: string;
}

export interface DeliveryJob {
  readonly deliveryId: string;
  readonly round: number;
  readonly attempt: number;
}

export function loadDeliveries(services: Pick<Services, 'db'>, ids: readonly string[]): Promise<DeliveryRow[]> {
  return findDeliveries(services.db, ids);
}

/** One attempt: the body rendered now with fresh links, signed now, sent, recorded together with what comes next. */
export async function deliverWebhook(services: DeliveryServices, row: DeliveryRow, job: DeliveryJob): Promise<void> {
  if (row.status !== 'pending' || row.round !== job.round || row.attempts >= job.attempt) return;
  if (row.endpointStatus !== 'active') {
    await withStatementTx(services.db, (tx) =>
      stopDelivery(tx, { id: row.id, reason: `The endpoint is ${row.endpointStatus}.` }),
    );
    return;
  }
  const generations = await findGenerationsById(services, { accountId: row.accountId, ids: [row.generationId] });
  const generation = generations.get(row.generationId);
  if (generation === undefined) {
    await withStatementTx(services.db, (tx) => stopDelivery(tx, { id: row.id, reason: 'The generation was deleted.' }));
    return;
  }
  const event: WebhookEvent = {
    id: row.eventId,
    type: row.eventType,
    createdAt: row.eventCreatedAt.toISOString(),
    data: { generation },
  };
  await faultPoint('webhook.before-send');
  const startedAt = services.clock.now();
  const outcome = await send(services, row, event);
  await faultPoint('webhook.after-send-before-record');
  const ok = outcome.status !== null && outcome.status >= 200 && outcome.status < 300;
  const next = decideNextStep({ n: job.attempt, ok });
  await withStatementTx(services.db, (tx) =>
    recordAttempt(tx, {
      deliveryId: row.id,
      endpointId: row.endpointId,
      round: row.round,
      n: job.attempt,
      startedAt,
      ok,
      statusCode: outcome.status,
      error: outcome.error,
      latencyMs: outcome.latencyMs,
      excerpt: outcome.excerpt,
      status: next.kind === 'retry' ? 'pending' : next.kind,
      delaySeconds: next.kind === 'retry' ? next.delaySeconds : null,
    }),
  );
  services.telemetry.deliveries.inc({ outcome: ok ? 'ok' : 'failed' });
  await faultPoint('webhook.after-record');
}

interface SendOutcome {
  readonly status: number | null;
  readonly error: string | null;
  readonly latencyMs: number;
  readonly excerpt: string | null;
}

async function send(services: DeliveryServices, row: DeliveryRow, event: WebhookEvent): Promise<SendOutcome> {
  const body = Buffer.from(JSON.stringify(event));
  const secret = unseal({ keys: services.keys, sealed: row.secretSealed, rowId: row.endpointId });
  const prefix = services.webhookHeaderPrefix;
  const timestampSeconds = Math.floor(services.clock.now().getTime() / 1000);
  const startedMs = performance.now();
  try {
    const answer = await services.safeFetch.safePost({
      url: row.url,
      headers: {
        'content-type': 'application/json',
        'user-agent': 'Atelier-Webhooks/1',
        [`${prefix}-Signature`]: signDelivery({ secrets: [secret], timestampSeconds, body }),
        [`${prefix}-Event-Id`]: event.id,
        [`${prefix}-Event-Type`]: event.type,
      },
      body,
      timeoutMs: TIMEOUT_MS,
      reuseKey: row.endpointId,
    });
    const refused = answer.status < 200 || answer.status >= 300;
    return {
      status: answer.status,
      error: refused ? `The endpoint answered ${answer.status}.` : null,
      latencyMs: Math.round(answer.totalMs),
      excerpt: answer.excerpt === '' ? null : answer.excerpt,
    };
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return {
      status: null,
      error: `${error.kind}: ${error.message}`.slice(0, MAX_ERROR_LENGTH),
      latencyMs: Math.round(performance.now() - startedMs),
      excerpt: null,
    };
  }
}
