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

/** Acknowledged operations. Whatever happens to the processes, the database must agree with them afterwards. */
export interface AckLog {
  /** Acknowledged operations: submits, repeats and cancels. */
  readonly count: number;
  /** Generations that a client knows. */
  readonly generations: number;
  accepted(acknowledged: { accountId: string; idempotencyKey: string; id: string; status: GenerationStatus }): void;
  canceled(generationId: string): void;
  /** One message for each acknowledged operation that the database contradicts. */
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
      contradictions.push(`${entry.generationId} was reported as ${entry.status}, later as ${status}`);
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
      if (former !== undefined && former !== id) contradictions.push(`one key returned both ${former} and ${id}`);
      idOfKey.set(key, id);
      const entry = known.get(id);
      // Responses for one key can arrive out of order, so only final states are compared.
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
      for (const acknowledged of known.values()) {
        const row = stored.get(acknowledged.generationId);
        if (row === undefined) {
          lost.push(
            `${acknowledged.generationId} was acknowledged as ${acknowledged.status} and is not in the database`,
          );
        } else if (row.accountId !== acknowledged.accountId || row.idempotencyKey !== acknowledged.idempotencyKey) {
          lost.push(`${acknowledged.generationId} belongs to another account or key than acknowledged`);
        } else if (ORDER[row.status] < ORDER[acknowledged.status]) {
          lost.push(`${acknowledged.generationId} was acknowledged as ${acknowledged.status} and is ${row.status}`);
        } else if (ORDER[acknowledged.status] === 2 && row.status !== acknowledged.status) {
          lost.push(`${acknowledged.generationId} was acknowledged as ${acknowledged.status} and is ${row.status}`);
        }
      }
      return lost;
    },
  };
}
