-- Holds, captures and releases of coins.

-- Closes the holds of these generations: captures what each was charged, releases the rest, and records both in the months of
-- the holds. The caller has locked the accounts, so no other transaction changes these holds and months.
CREATE OR REPLACE FUNCTION close_holds(p_generations uuid[], p_charged bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_closed uuid[];
BEGIN
  WITH closed AS (
    UPDATE hold SET captured = c.charged, released = amount - c.charged, closed_at = now()
      FROM unnest(p_generations, p_charged) AS c (generation, charged)
      WHERE generation_id = c.generation AND closed_at IS NULL
      RETURNING generation_id, account_id, key_id, month, amount, captured, released
  ), moved AS (
    INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id)
      SELECT h.account_id, t.kind, 'held', t.credit, t.amount, h.generation_id
      FROM closed h CROSS JOIN LATERAL (VALUES ('capture', 'revenue', h.captured), ('release', 'available', h.released)) AS t (kind, credit, amount)
      WHERE t.amount > 0
  ), booked AS (
    UPDATE key_month m SET reserved = m.reserved - h.amount, spent = m.spent + h.captured
      FROM (
        SELECT key_id, month, sum(amount)::bigint AS amount, sum(captured)::bigint AS captured
        FROM closed WHERE key_id IS NOT NULL GROUP BY key_id, month ORDER BY key_id, month
      ) h
      WHERE m.key_id = h.key_id AND m.month = h.month
  )
  SELECT array_agg(generation_id) INTO v_closed FROM closed;
  IF cardinality(v_closed) IS DISTINCT FROM cardinality(p_generations) THEN
    RAISE EXCEPTION 'the hold of % is not open', (
      SELECT string_agg(g::text, ', ') FROM unnest(p_generations) AS g WHERE g <> ALL (coalesce(v_closed, '{}'))
    ) USING ERRCODE = 'check_violation';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION close_hold(p_generation uuid, p_charged bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM close_holds(p_generations => ARRAY[p_generation], p_charged => ARRAY[p_charged]);
END $$;
