import type { GenerationStatus } from '@atelier/contract';
import { type Db, statement } from '@atelier/server/platform/db.ts';

interface Acknowledged {
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly generationId: string;
  status: GenerationStatus;
}

interface StoredRow {
  readonly id: string;
  readonly accountId: string;
  readonly idempotencyKey: string;
  readonly status: GenerationStatus;
}

/** What clients were told. Whatever happens to our processes, the database must agree with it afterwards. */
export interface AckLog {
  /** Operations answered with success: submits, repeats and cancels. */
  readonly count: number;
  /** Generations that a client knows of. */
  readonly generations: number;
  accepted(told: { accountId: string; idempotencyKey: string; id: string; status: GenerationStatus }): void;
  canceled(generationId: string): void;
  /** Every sentence is a promise that the database does not keep. */
  findLost(db: Db): Promise<string[]>;
}

const ORDER: Readonly<Record<GenerationStatus, number>> = {
  queued: 0,
  processing: 1,
  succeeded: 2,
  failed: 2,
  canceled: 2,
};

const STORED = statement(
  'acknowledged_generations',
  `SELECT id, account_id AS "accountId", idempotency_key AS "idempotencyKey", status FROM generation WHERE id = ANY ($1)`,
);

export function createAckLog(): AckLog {
  const known = new Map<string, Acknowledged>();
  const idOfKey = new Map<string, string>();
  const contradictions: string[] = [];
  let count = 0;

  const advance = (entry: Acknowledged, status: GenerationStatus) => {
    if (ORDER[entry.status] === 2 && status !== entry.status) {
      contradictions.push(`${entry.generationId} was told to be ${entry.status}, later ${status}`);
    }
    if (ORDER[status] > ORDER[entry.status]) entry.status = status;
  };

  return {
    get count() {
      return count;
    },
    get generations() {
      return known.size;
    },
    accepted({ accountId, idempotencyKey, id, status }) {
      count += 1;
      const key = `${accountId} ${idempotencyKey}`;
      const former = idOfKey.get(key);
      if (former !== undefined && former !== id) contradictions.push(`one key was answered with ${former} and ${id}`);
      idOfKey.set(key, id);
      const entry = known.get(id);
      // Answers of one key may arrive out of order, so only an end is compared.
      if (entry === undefined) known.set(id, { accountId, idempotencyKey, generationId: id, status });
      else if (ORDER[status] >= ORDER[entry.status]) advance(entry, status);
    },
    canceled(generationId) {
      count += 1;
      const entry = known.get(generationId);
      if (entry === undefined) contradictions.push(`${generationId} was canceled and never accepted`);
      else advance(entry, 'canceled');
    },
    async findLost(db) {
      const lost = [...contradictions];
      const rows = await db.query<StoredRow>(STORED, [[...known.keys()]]);
      const stored = new Map(rows.map((row) => [row.id, row]));
      for (const told of known.values()) {
        const row = stored.get(told.generationId);
        if (row === undefined) {
          lost.push(`${told.generationId} was acknowledged as ${told.status} and is not in the database`);
        } else if (row.accountId !== told.accountId || row.idempotencyKey !== told.idempotencyKey) {
          lost.push(`${told.generationId} belongs to another account or key than was told`);
        } else if (ORDER[row.status] < ORDER[told.status]) {
          lost.push(`${told.generationId} was told to be ${told.status} and is ${row.status}`);
        } else if (ORDER[told.status] === 2 && row.status !== told.status) {
          lost.push(`${told.generationId} was told to be ${told.status} and is ${row.status}`);
        }
      }
      return lost;
    },
  };
}
