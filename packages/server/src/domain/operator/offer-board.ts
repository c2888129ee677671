import type { Db } from '../../platform/db.ts';
import { createPoller, type Poller } from '../../platform/flow/poller.ts';
import {
  findOffers,
  findWorkers,
  putOffers,
  removeWorker,
  type Unavailable,
  type WorkerStatus,
} from './offers.store.ts';

export type { Unavailable, WorkerStatus } from './offers.store.ts';

/** Offers of a worker without a report for this long are ignored. */
const LIFE_SECONDS = 15;
const REFRESH_INTERVAL_MS = 2_000;
const TELL_INTERVAL_MS = 4_000;

/** Route targets that some worker can serve. */
export type OfferBoard = Poller<ReadonlySet<string>>;

/** What the workers offer. While the database is unavailable, the last offers apply. */
export function createOfferBoard(services: { db: Db }): Promise<OfferBoard> {
  return createPoller({
    intervalMs: REFRESH_INTERVAL_MS,
    read: async () => new Set(await findOffers(services.db, { lifeSeconds: LIFE_SECONDS })),
  });
}

/** Every worker that reported recently: what it offers, and what it cannot run and why. For the operator. */
export function listWorkers(services: { db: Db }): Promise<WorkerStatus[]> {
  return findWorkers(services.db, { lifeSeconds: LIFE_SECONDS });
}

/** Regularly reports what a worker can run; a worker that accepts no work reports nothing. `stop` removes its offers. */
export async function tellOffers(
  services: { db: Db },
  options: {
    worker: string;
    targets: () => readonly string[];
    unavailable?: () => readonly Unavailable[];
    onError: (error: unknown) => void;
  },
): Promise<{ stop(): Promise<void> }> {
  const put = () =>
    putOffers(services.db, {
      worker: options.worker,
      targets: options.targets(),
      unavailable: options.unavailable?.() ?? [],
      lifeSeconds: LIFE_SECONDS,
    });
  await put();
  const timer = setInterval(() => void put().catch(options.onError), TELL_INTERVAL_MS);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await removeWorker(services.db, options.worker).catch(options.onError);
    },
  };
}
