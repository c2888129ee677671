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
