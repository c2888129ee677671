import { withStatementTx } from '../../../platform/db.ts';
import { faultPoint } from '../../../platform/fault-point.ts';
import { EgressError } from '../../../platform/safe-fetch/egress-error.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';
import type { Services } from '../../services.ts';
import { signDelivery } from '../signatures/sign-delivery.ts';
import type { DeliveryDesk } from './create-delivery-desk.ts';
import { deliveryHeaders } from './delivery-headers.ts';
import type { LoadedDelivery, Message } from './load-deliveries.ts';
import { decideNextStep } from './retry-schedule.ts';
import { type DeliveryRow, setDeliveryAside } from './webhooks.store.ts';

const TIMEOUT_MS = 10_000;
const MAX_ERROR_LENGTH = 500;
/** A larger body of a failed attempt is not recorded. */
const MAX_KEPT_BODY_BYTES = 64 * 1024;
/** Another attempt would fail the same way, so none is made until an operator acts. */
const SECRET_SEALED =
  'The signing secret cannot be opened: MASTER_KEY no longer holds the key that sealed it. Add that key and run `master-key reseal`, or rotate the secret. Then redeliver.';

export interface DeliveryServices extends Pick<Services, 'db' | 'clock' | 'telemetry' | 'tracing'> {
  readonly safeFetch: SafeFetch;
  readonly deliveryDesk: DeliveryDesk;
  readonly webhookHeaderPrefix: string;
}

export interface DeliveryJob {
  readonly jobId: string;
  readonly round: number;
  readonly attempt: number;
  /** The trace of the generation; null if it is not traced. */
  readonly traceparent: string | null;
}

/**
 * One attempt: signed now, sent, and recorded together with the next step. A job that was replaced, or whose attempt is
 * already recorded, does nothing. If the endpoint has too many requests in flight, the attempt returns to the queue.
 */
export async function deliverWebhook(
  services: DeliveryServices,
  { row, message }: LoadedDelivery,
  job: DeliveryJob,
): Promise<void> {
  if (row.status !== 'pending' || row.round !== job.round || row.attempts >= job.attempt) return;
  if (row.jobId !== null && row.jobId !== job.jobId) return;
  const obstacle = findObstacle(row);
  if (obstacle !== null || message === null) {
    const reason = obstacle ?? 'The generation was deleted.';
    await withStatementTx(services.db, (tx) => setDeliveryAside(tx, { id: row.id, status: 'stopped', reason }));
    return;
  }
  const secret = services.deliveryDesk.openSecret({ sealed: row.secretSealed, endpointId: row.endpointId });
  if (secret === null) {
    await withStatementTx(services.db, (tx) =>
      setDeliveryAside(tx, { id: row.id, status: 'held', reason: SECRET_SEALED }),
    );
    services.telemetry.deliveries.inc({ outcome: 'held' });
    return;
  }
  const entry = await services.deliveryDesk.gate.enter(row.endpointId);
  if ('comeBackMs' in entry) {
    await services.deliveryDesk.handBack({ deliveryId: row.id, jobId: job.jobId, delayMs: entry.comeBackMs });
    return;
  }
  const { endpointId, accountId, generationId } = row;
  const span = services.tracing.startSpan('webhook attempt', {
    kind: 'client',
    parent: job.traceparent,
    fields: {
      deliveryId: row.id,
      endpointId,
      accountId,
      attempt: job.attempt,
      eventId: message.eventId,
      ...(generationId === null ? {} : { generationId }),
    },
  });
  let outcome: SendOutcome;
  try {
    await faultPoint('webhook.before-send');
    outcome = await send(services, { row, message, secret });
    span.set({ status: outcome.statusCode ?? undefined });
    span.end(outcome.error === null ? {} : { errorType: outcome.statusCode === null ? 'egress' : 'status' });
  } finally {
    entry.place.leave();
  }
  await faultPoint('webhook.after-send-before-record');
  const ok = outcome.statusCode !== null && outcome.statusCode >= 200 && outcome.statusCode < 300;
  const isTest = row.testEvent !== null;
  const next = decideNextStep({ n: job.attempt, ok, isTest });
  await services.deliveryDesk.recordAttempt({
    ...outcome,
    deliveryId: row.id,
    endpointId: row.endpointId,
    round: row.round,
    n: job.attempt,
    ok,
    status: next.kind === 'retry' ? 'pending' : next.kind,
    delaySeconds: next.kind === 'retry' ? next.delaySeconds : null,
    counts: !isTest,
  });
  services.telemetry.deliveries.inc({ outcome: ok ? 'ok' : 'failed' });
  await faultPoint('webhook.after-record');
}

function findObstacle(row: DeliveryRow): string | null {
  if (row.endpointStatus === 'deleted') return 'The endpoint is deleted.';
  return row.endpointStatus === 'paused' && row.testEvent === null ? 'The endpoint is paused.' : null;
}

interface SendOutcome {
  readonly statusCode: number | null;
  readonly error: string | null;
  readonly excerpt: string | null;
  readonly sent: { readonly url: string; readonly signature: string; readonly body: string } | null;
  /** Until status and headers arrived; the ten-second timeout applies to this. */
  readonly latencyMs: number;
  readonly elapsedMs: number;
  readonly endedMs: number;
}

async function send(
  services: DeliveryServices,
  { row, message, secret }: { row: DeliveryRow; message: Message; secret: string },
): Promise<SendOutcome> {
  const { eventId, eventType, body } = message;
  const timestampSeconds = Math.floor(services.clock.now().getTime() / 1000);
  const signature = signDelivery({ secrets: [secret], timestampSeconds, body });
  const startedMs = performance.now();
  const outcome = await post();
  const endedMs = performance.now();
  const elapsedMs = endedMs - startedMs;
  const sent =
    outcome.error === null || body.length > MAX_KEPT_BODY_BYTES
      ? null
      : { url: row.url, signature, body: body.toString() };
  return { ...outcome, sent, latencyMs: Math.round(outcome.latencyMs ?? elapsedMs), elapsedMs, endedMs };

  async function post() {
    try {
      const answer = await services.safeFetch.safePost({
        url: row.url,
        headers: deliveryHeaders({ prefix: services.webhookHeaderPrefix, eventId, eventType, signature }),
        body,
        timeoutMs: TIMEOUT_MS,
        reuseKey: row.endpointId,
      });
      const refused = answer.status < 200 || answer.status >= 300;
      return {
        statusCode: answer.status,
        error: refused ? `The endpoint answered ${answer.status}.` : null,
        excerpt: answer.excerpt === '' ? null : answer.excerpt,
        latencyMs: answer.headersMs,
      };
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const text = `${error.kind}: ${error.message}`.slice(0, MAX_ERROR_LENGTH).toWellFormed();
      return { statusCode: null, error: text, excerpt: null, latencyMs: null };
    }
  }
}
