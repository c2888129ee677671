import { writeInBatches } from '../../platform/flow/batcher.ts';
import { errorFields } from '../../platform/log.ts';
import type { Services } from '../services.ts';
import {
  deleteOldRecords,
  deleteRecordsOf,
  findRecord,
  findRecordsOf,
  insertRecords,
  type RequestRecord,
} from './request-records.store.ts';

export type { RequestRecord } from './request-records.store.ts';

const RETENTION_DAYS = 14;
const MAX_BATCH = 500;
const DELETE_BATCH = 1_000;
/** Beyond this, records are dropped: they must not fill the memory while the database is slow. */
const MAX_WAITING = 5_000;

export interface RequestRecorder {
  record(record: Omit<RequestRecord, 'createdAt'>): void;
  /** Waits for what is being written. */
  close(): Promise<void>;
}

/** Writes records after the response, many at once under load. A record that cannot be written is dropped. */
export function createRequestRecorder({ db, log }: Pick<Services, 'db' | 'log'>): RequestRecorder {
  const writing = new Set<Promise<void>>();
  const write = writeInBatches<Omit<RequestRecord, 'createdAt'>>({
    maxBatch: MAX_BATCH,
    write: (records) => insertRecords(db, records),
  });
  return {
    record(record) {
      if (writing.size >= MAX_WAITING) return;
      const written = write(record)
        .catch((error: unknown) => log.debug('request not recorded', { requestId: record.id, ...errorFields(error) }))
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    async close() {
      await Promise.all(writing);
    },
  };
}

/** Null if it is not recorded, or no longer. */
export function findRequestRecord({ db }: Pick<Services, 'db'>, id: string): Promise<RequestRecord | null> {
  return findRecord(db, id);
}

/** The requests that submitted a generation or returned it as their original, oldest first. */
export function listRequestsOf(
  { db }: Pick<Services, 'db'>,
  key: { accountId: string; generationId: string; limit: number },
): Promise<RequestRecord[]> {
  return findRecordsOf(db, key);
}

/** Deletes old records. */
export async function sweepRequestRecords({ db }: Pick<Services, 'db'>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    if ((await deleteOldRecords(db, { days: RETENTION_DAYS, limit: DELETE_BATCH })) < DELETE_BATCH) return;
  }
}

/** For the erasure of an account. */
export function forgetRequests({ db }: Pick<Services, 'db'>, accountId: string): Promise<void> {
  return deleteRecordsOf(db, accountId);
}
