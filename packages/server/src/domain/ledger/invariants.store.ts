import { type Db, statement } from '../../platform/db.ts';

/** Each query lists the violations of an invariant: no row means that it holds. $1 is the setting that `days` names. */
export const invariants = {
  I1: {
    claim: 'each balance is the fold of its transfers',
    sql: `SELECT a.id FROM account a LEFT JOIN (
        SELECT account_id,
          sum(CASE WHEN credit = 'available' THEN amount WHEN debit = 'available' THEN -amount ELSE 0 END) AS available,
          sum(CASE WHEN credit = 'held' THEN amount WHEN debit = 'held' THEN -amount ELSE 0 END) AS held
        FROM transfer GROUP BY 1
      ) t ON t.account_id = a.id WHERE a.available <> coalesce(t.available, 0) OR a.held <> coalesce(t.held, 0)`,
  },
  I2: {
    claim: 'coins are conserved: what the system paid in is what accounts hold',
    sql: `SELECT s.net AS paid_in, a.sum AS in_accounts FROM
        (SELECT coalesce(sum(CASE WHEN debit NOT IN ('available', 'held') THEN amount ELSE 0 END), 0)
              - coalesce(sum(CASE WHEN credit NOT IN ('available', 'held') THEN amount ELSE 0 END), 0) AS net FROM transfer) s,
        (SELECT coalesce(sum(available + held), 0) AS sum FROM account) a WHERE s.net <> a.sum`,
  },
  I3: {
    claim: 'held is the sum of the open holds',
    sql: `SELECT a.id FROM account a LEFT JOIN (SELECT account_id, sum(amount) AS s FROM hold WHERE closed_at IS NULL GROUP BY 1) h
        ON h.account_id = a.id WHERE a.held <> coalesce(h.s, 0)`,
  },
  I4: {
    claim: 'a hold is open exactly while its generation lives',
    sql: `SELECT n.id FROM generation n LEFT JOIN hold h ON h.generation_id = n.id
        WHERE h.generation_id IS NULL OR (h.closed_at IS NULL) <> (n.status IN ('queued', 'processing'))`,
  },
  I5: {
    claim: 'one hold, at most one capture and one release per generation',
    sql: `SELECT n.id FROM generation n LEFT JOIN transfer t ON t.generation_id = n.id GROUP BY n.id
        HAVING count(*) FILTER (WHERE t.kind = 'hold') <> 1 OR count(*) FILTER (WHERE t.kind = 'capture') > 1
          OR count(*) FILTER (WHERE t.kind = 'release') > 1`,
  },
  I6: {
    claim: 'charged is coins per output times outputs delivered, never above quote or ceiling',
    sql: `SELECT n.id FROM generation n JOIN hold h ON h.generation_id = n.id
        WHERE h.amount <> n.coins_quoted OR coalesce(n.coins_charged, 0) <> h.captured OR h.captured > n.coins_quoted
          OR h.amount > coalesce(n.max_coins, h.amount) OR h.captured % n.coins_per_output <> 0`,
  },
  I6b: {
    claim: 'the transfers of a generation are what its hold says',
    sql: `SELECT h.generation_id FROM hold h LEFT JOIN transfer t ON t.generation_id = h.generation_id
        GROUP BY h.generation_id, h.amount, h.captured, h.released
        HAVING coalesce(sum(t.amount) FILTER (WHERE t.kind = 'hold'), 0) <> h.amount
          OR coalesce(sum(t.amount) FILTER (WHERE t.kind = 'capture'), 0) <> h.captured
          OR coalesce(sum(t.amount) FILTER (WHERE t.kind = 'release'), 0) <> h.released`,
  },
  I7: {
    claim: 'what failed or was canceled is free and released in full',
    sql: `SELECT n.id FROM generation n JOIN hold h ON h.generation_id = n.id
        WHERE n.status IN ('failed', 'canceled') AND (h.released <> h.amount OR h.captured <> 0)`,
  },
  I8: {
    claim: 'no key is above its monthly cap (a cap lowered later only blocks new spending)',
    sql: `SELECT k.key_id, k.month FROM key_month k JOIN api_key a ON a.id = k.key_id
        WHERE a.monthly_cap IS NOT NULL AND k.spent + k.reserved > a.monthly_cap
          AND NOT EXISTS (SELECT 1 FROM audit_log l WHERE l.action = 'key.cap_lowered' AND l.detail ->> 'keyId' = a.id::text)`,
  },
  I9: {
    claim: "a key's month is the sum of its holds",
    sql: `SELECT key_id, month FROM key_month k FULL JOIN (
        SELECT key_id, month, coalesce(sum(amount) FILTER (WHERE closed_at IS NULL), 0) AS r, sum(captured) AS s
        FROM hold WHERE key_id IS NOT NULL GROUP BY 1, 2
      ) h USING (key_id, month) WHERE coalesce(k.reserved, 0) <> coalesce(h.r, 0) OR coalesce(k.spent, 0) <> coalesce(h.s, 0)`,
  },
  I10: {
    claim: 'one generation per account and idempotency key',
    sql: 'SELECT account_id, idempotency_key FROM generation GROUP BY 1, 2 HAVING count(*) > 1',
  },
  I11: {
    claim: 'an account counts its admitted, unfinished generations',
    sql: `SELECT a.id FROM account a LEFT JOIN (
        SELECT account_id, count(*) AS c FROM generation WHERE completed_at IS NULL AND admitted GROUP BY 1
      ) n ON n.account_id = a.id WHERE a.slots <> coalesce(n.c, 0)`,
  },
  I12: {
    claim: 'the numbers of an account tell the place of each waiting generation',
    sql: `SELECT w.id FROM (
        SELECT id, account_id, queue_number, row_number() OVER (PARTITION BY account_id ORDER BY queue_number) AS place
        FROM generation WHERE status = 'queued' AND NOT admitted AND completed_at IS NULL
      ) w WHERE w.queue_number IS NULL OR w.place <> count_waiting(p_account => w.account_id, p_upto => w.queue_number)`,
  },
  I13: {
    claim: 'an end has exactly one event, of its type',
    days: 'eventRetentionDays',
    sql: `SELECT n.id FROM generation n LEFT JOIN event e ON e.generation_id = n.id
        WHERE ((n.status IN ('succeeded', 'failed', 'canceled')) AND e.id IS NULL
          AND n.completed_at > now() - make_interval(days => $1) + interval '1 hour')
          OR (n.status IN ('queued', 'processing') AND e.id IS NOT NULL) OR e.type <> 'generation.' || n.status`,
  },
  I14: {
    claim: 'every endpoint subscribed at the end has its delivery, paused or not',
    sql: `SELECT e.id FROM event e JOIN generation n ON n.id = e.generation_id
        JOIN webhook_endpoint p ON p.account_id = e.account_id AND p.status <> 'deleted' AND p.updated_at < e.created_at
          AND e.type = ANY (p.events) AND (p.key_id IS NULL OR p.key_id = n.key_id)
        LEFT JOIN delivery d ON d.event_id = e.id AND d.endpoint_id = p.id WHERE d.event_id IS NULL`,
  },
  I15: {
    claim: 'attempts come in order, none early, none after a success, nine at most',
    sql: `SELECT a.delivery_id, a.n FROM attempt a LEFT JOIN attempt b ON b.delivery_id = a.delivery_id AND b.round = a.round AND b.n = a.n - 1
        WHERE (a.n > 1 AND (b.n IS NULL OR b.ok OR a.started_at < b.finished_at
          + (ARRAY[0, 30, 120, 600, 1800, 3600, 10800, 21600, 43200])[a.n] * interval '1 second' - interval '1 second')) OR a.n > 9`,
  },
  I16: {
    claim: 'a delivery that ended says so, and one that waits knows when',
    sql: `SELECT d.id FROM delivery d WHERE (d.status = 'pending') <> (d.next_at IS NOT NULL AND d.finished_at IS NULL)
        OR (d.status = 'delivered' AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.delivery_id = d.id AND a.round = d.round AND a.ok))
        OR (d.status = 'failed' AND d.attempts <> 9)`,
  },
  I19: {
    claim: 'nothing is stuck: no run past its deadline',
    sql: `SELECT id FROM generation WHERE status = 'processing' AND completed_at IS NULL AND deadline_at < now() - interval '180 seconds'`,
  },
  I20: {
    claim: 'no generation reads a file of another account',
    sql: `SELECT i.generation_id FROM generation_input i JOIN asset a ON a.id = i.asset_id JOIN generation g ON g.id = i.generation_id
        WHERE a.account_id <> g.account_id`,
  },
  I21: {
    claim: 'what succeeded was charged per output delivered',
    days: 'outputRetentionDays',
    sql: `SELECT n.id FROM generation n LEFT JOIN (SELECT generation_id, count(*) AS c FROM asset WHERE source = 'output' GROUP BY 1) a
        ON a.generation_id = n.id WHERE n.status = 'succeeded' AND n.erased_at IS NULL
          AND n.completed_at > now() - least(interval '1 day', make_interval(days => $1) - interval '1 hour')
          AND n.coins_charged <> n.coins_per_output * coalesce(a.c, 0)`,
  },
  I23: {
    claim: 'uploads are gone a day after their time',
    sql: `SELECT id FROM asset WHERE source = 'upload' AND expires_at < now() - interval '1 day'`,
  },
  I24: {
    claim: 'the usage of an account is the sum of its captures up to the position',
    sql: `SELECT p.account_id FROM usage_position p LEFT JOIN (
        SELECT account_id, sum(coins) AS coins, sum(generations) AS generations FROM usage_day GROUP BY 1
      ) u ON u.account_id = p.account_id LEFT JOIN LATERAL (
        SELECT sum(t.amount) AS coins, count(*) AS generations FROM transfer t
        WHERE t.account_id = p.account_id AND t.id <= p.transfer_id AND t.kind = 'capture'
      ) t ON true WHERE coalesce(u.coins, 0) <> coalesce(t.coins, 0) OR coalesce(u.generations, 0) <> coalesce(t.generations, 0)`,
  },
  I25: {
    claim: 'each paid checkout has exactly one grant of its coins, and no other checkout has one',
    sql: `SELECT c.id, t.reference FROM checkout c FULL JOIN (
        SELECT id, account_id, kind, amount, reference FROM transfer WHERE reference ~ '^checkout/[0-9a-f-]{36}$'
      ) t ON t.account_id = c.account_id AND t.reference = 'checkout/' || c.id
      WHERE c.id IS NULL OR (c.status = 'paid') <> (t.id IS NOT NULL)
        OR (c.status = 'paid' AND (t.id, t.kind, t.amount) IS DISTINCT FROM (c.transfer_id, 'grant', c.coins))`,
  },
  I26: {
    claim: 'the coins taken back of a checkout are its share of refunds and disputes, in the ledger too',
    sql: `SELECT c.id FROM checkout c LEFT JOIN payment_refund r ON r.payment_ref = c.payment_ref LEFT JOIN LATERAL (
        SELECT sum(amount) AS amount FROM payment_dispute WHERE payment_ref = c.payment_ref AND is_taken
      ) d ON true LEFT JOIN LATERAL (
        SELECT sum(CASE WHEN debit = 'available' THEN amount ELSE -amount END) AS coins FROM transfer
        WHERE account_id = c.account_id AND reference LIKE 'checkout/' || c.id || '/%'
      ) t ON true
      WHERE c.coins_taken <> coalesce(t.coins, 0) OR c.coins_taken <>
        CASE WHEN c.status = 'paid' THEN floor(c.coins::numeric * least(c.amount, coalesce(r.amount, 0) + coalesce(d.amount, 0)) / c.amount) ELSE 0 END`,
  },
  I27: {
    claim: 'nothing waits for a slot that is free: each model has a job for as many as could start',
    sql: `SELECT w.account_id, w.model_id FROM (
        SELECT account_id, model_id, count(*) FILTER (WHERE status = 'queued' AND admitted AND NOT parked) AS jobs
        FROM generation WHERE completed_at IS NULL
        GROUP BY 1, 2 HAVING bool_or(status = 'queued' AND (parked OR NOT admitted))
      ) w JOIN account a ON a.id = w.account_id WHERE w.jobs < a.run_limit - (
        SELECT count(*) FROM generation r WHERE r.account_id = a.id AND r.status = 'processing' AND r.admitted AND r.completed_at IS NULL)`,
  },
} as const;

export type InvariantId = keyof typeof invariants;

const MAX_SHOWN = 20;

/** The retention periods: rows deleted after them are no violations. */
export interface Retention {
  readonly eventRetentionDays: number;
  readonly outputRetentionDays: number;
}

/** Runs one invariant in its own snapshot. Returns the number of violations, and the first of them. */
export async function findViolations(
  db: Db,
  id: InvariantId,
  retention: Retention,
): Promise<{ count: number; first: readonly object[] }> {
  const { sql, days }: { sql: string; days?: keyof Retention } = invariants[id];
  const rows = await db.query<object>(statement(`verify_${id}`, sql), days === undefined ? [] : [retention[days]]);
  return { count: rows.length, first: rows.slice(0, MAX_SHOWN) };
}
