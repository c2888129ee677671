import { type Db, statement } from '../../platform/db.ts';

/** Counts in fixed windows. The row lock makes concurrent attempts count one after another. */
const COUNT_ATTEMPT = statement(
  'count_attempt',
  `INSERT INTO throttle AS t (key, count, ends_at) VALUES ($1, 1, now() + make_interval(secs => $2))
   ON CONFLICT (key) DO UPDATE SET
     count = CASE WHEN t.ends_at <= now() THEN 1 ELSE least(t.count, $3) + 1 END,
     ends_at = CASE WHEN t.ends_at <= now() THEN excluded.ends_at ELSE t.ends_at END
   RETURNING count, ceil(extract(epoch FROM ends_at - now()))::integer AS "endsInSeconds"`,
);

export async function countAttempt(
  db: Db,
  { key, windowSeconds, max }: { key: Buffer; windowSeconds: number; max: number },
): Promise<{ count: number; endsInSeconds: number }> {
  const [row] = await db.query<{ count: number; endsInSeconds: number }>(COUNT_ATTEMPT, [key, windowSeconds, max]);
  return row!;
}
