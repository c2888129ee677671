import { isSealedByKnownKey, type KeyRing, unseal } from '../../../platform/crypto.ts';
import { type Db, withStatementTx } from '../../../platform/db.ts';
import { writeInBatches } from '../../../platform/flow/batcher.ts';
import { createRecentMap } from '../../../platform/flow/recent-map.ts';
import { createDeliveryGate, type DeliveryGate } from './delivery-gate.ts';
import { type AttemptInput, type HandBack, handBackDeliveries, recordAttempts } from './webhooks.store.ts';

const MAX_BATCH = 100;
const MAX_OPEN_SECRETS = 2_000;

export interface FinishedAttempt extends Omit<AttemptInput, 'endedAgoMs'> {
  /** When it ended, on the monotonic clock of the process. */
  readonly endedMs: number;
}

/** Shared by the deliveries of one process: the gate, a cache of opened secrets, and the batched writers. */
export interface DeliveryDesk {
  readonly gate: DeliveryGate;
  /** Null if the master key that sealed it is no longer available. */
  openSecret(of: { sealed: string; endpointId: string }): string | null;
  recordAttempt(attempt: FinishedAttempt): Promise<void>;
  handBack(given: HandBack): Promise<void>;
}

export function createDeliveryDesk(services: { db: Db; keys: KeyRing }): DeliveryDesk {
  // Keyed by the sealed form: rotation changes it, so an old secret is never returned.
  const opened = createRecentMap<string>(MAX_OPEN_SECRETS);
  return {
    gate: createDeliveryGate(),
    openSecret({ sealed, endpointId }) {
      const name = `${endpointId} ${sealed}`;
      const known = opened.get(name);
      if (known !== undefined) return known;
      if (!isSealedByKnownKey(services.keys, sealed)) return null;
      const secret = unseal({ keys: services.keys, sealed, rowId: endpointId });
      opened.set(name, secret);
      return secret;
    },
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
