import { type Db, withStatementTx } from '../../platform/db.ts';
import { createDeliveryGate, type DeliveryGate } from './delivery-gate.ts';
import { type AttemptInput, type HandBack, handBackDeliveries, recordAttempts } from './webhooks.store.ts';
import { writeInBatches } from './write-in-batches.ts';

const MAX_BATCH = 100;

export interface FinishedAttempt extends Omit<AttemptInput, 'endedAgoMs'> {
  /** When it ended, on the process's own monotonic scale. */
  readonly endedMs: number;
}

/** What the deliveries of one process share: the gate, and the writers that put their rows together. */
export interface DeliveryDesk {
  readonly gate: DeliveryGate;
  recordAttempt(attempt: FinishedAttempt): Promise<void>;
  handBack(given: HandBack): Promise<void>;
}

export function createDeliveryDesk(services: { db: Db }): DeliveryDesk {
  return {
    gate: createDeliveryGate(),
    recordAttempt: writeInBatches<FinishedAttempt>({
      maxBatch: MAX_BATCH,
      write: (attempts) => {
        const nowMs = performance.now();
        const inputs = attempts.map(({ endedMs, ...attempt }) => ({ ...attempt, endedAgoMs: nowMs - endedMs }));
        return withStatementTx(services.db, (tx) => recordAttempts(tx, inputs));
      },
    }),
    handBack: writeInBatches<HandBack>({
      maxBatch: MAX_BATCH,
      write: (given) => withStatementTx(services.db, (tx) => handBackDeliveries(tx, given)),
    }),
  };
}
