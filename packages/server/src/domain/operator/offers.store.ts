import { type Db, statement } from '../../platform/db.ts';

const FIND_OFFERS = statement(
  'find_offers',
  `SELECT DISTINCT target FROM offer WHERE seen_at > now() - make_interval(secs => $1)`,
);

export async function findOffers(db: Db, { lifeSeconds }: { lifeSeconds: number }): Promise<string[]> {
  return (await db.query<{ target: string }>(FIND_OFFERS, [lifeSeconds])).map(({ target }) => target);
}

// One statement, so that a worker's offers change all at once; the dead are cleared by whoever comes by.
const PUT_OFFERS = statement(
  'put_offers',
  `WITH gone AS (
     DELETE FROM offer
     WHERE (worker = $1 AND target <> ALL ($2::text[])) OR seen_at < now() - make_interval(secs => $3)
   )
   INSERT INTO offer (worker, target) SELECT $1, unnest($2::text[])
   ON CONFLICT (worker, target) DO UPDATE SET seen_at = now()`,
);

export async function putOffers(
  db: Db,
  offers: { worker: string; targets: readonly string[]; lifeSeconds: number },
): Promise<void> {
  await db.query(PUT_OFFERS, [offers.worker, offers.targets, offers.lifeSeconds]);
}
