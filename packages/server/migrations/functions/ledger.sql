-- Holds, captures and releases of coins.

-- Closes a hold: captures the charge, releases the rest, and records both in the month of the hold.
CREATE OR REPLACE FUNCTION close_hold(p_generation uuid, p_charged bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  h hold;
BEGIN
  UPDATE hold SET captured = p_charged, released = amount - p_charged, closed_at = now()
    WHERE generation_id = p_generation AND closed_at IS NULL RETURNING * INTO h;
  IF NOT FOUND THEN RAISE EXCEPTION 'the hold of % is not open', p_generation USING ERRCODE = 'check_violation'; END IF;
  INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id)
    SELECT h.account_id, t.kind, 'held', t.credit, t.amount, p_generation
    FROM (VALUES ('capture', 'revenue', h.captured), ('release', 'available', h.released)) AS t (kind, credit, amount) WHERE t.amount > 0;
  IF h.key_id IS NOT NULL THEN
    UPDATE key_month SET reserved = reserved - h.amount, spent = spent + h.captured WHERE key_id = h.key_id AND month = h.month;
  END IF;
END $$;

-- The same for many generations in one statement, for settle_generations: one hold closed this way costs twice as much. The caller
-- has locked the accounts, so no other transaction changes these holds and months.
CREATE OR REPLACE FUNCTION close_holds(p_generations uuid[], p_charged bigint[]) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_closed uuid[];
BEGIN
  WITH closed AS (
    UPDATE hold SET captured = g.charged, released = amount - g.charged, closed_at = now()
      FROM unnest(p_generations, p_charged) AS g (id, charged) WHERE generation_id = g.id AND closed_at IS NULL
      RETURNING generation_id, account_id, key_id, month, amount, captured, released
  ), moved AS (
    INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id)
      SELECT c.account_id, t.kind, 'held', t.credit, t.amount, c.generation_id
      FROM closed c CROSS JOIN LATERAL (VALUES ('capture', 'revenue', c.captured), ('release', 'available', c.released)) AS t (kind, credit, amount)
      WHERE t.amount > 0
  ), booked AS (
    UPDATE key_month m SET reserved = m.reserved - c.amount, spent = m.spent + c.captured
      FROM (
        SELECT key_id, month, sum(amount)::bigint AS amount, sum(captured)::bigint AS captured
        FROM closed WHERE key_id IS NOT NULL GROUP BY key_id, month ORDER BY key_id, month
      ) c
      WHERE m.key_id = c.key_id AND m.month = c.month
  )
  SELECT array_agg(generation_id) INTO v_closed FROM closed;
  IF cardinality(v_closed) IS DISTINCT FROM cardinality(p_generations) THEN
    RAISE EXCEPTION 'the hold of % is not open', (
      SELECT string_agg(g::text, ', ') FROM unnest(p_generations) AS g WHERE g <> ALL (coalesce(v_closed, '{}'))
    ) USING ERRCODE = 'check_violation';
  END IF;
END $$;
