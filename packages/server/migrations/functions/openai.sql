-- The OpenAI-compatible API.

-- The idempotency key of the call that a request belongs to: a recent call, or a new one with the id p_id. p_attempt is the
-- client's retry count: 0 is a new call, unless a retry of it arrived first; above 0 it continues a call; null means that the
-- client does not count, and an identical request soon after another one continues it. A call is recent for the given seconds
-- after its last request and after its generation ended. Identical requests take turns.
CREATE OR REPLACE FUNCTION claim_openai_call(
  p_id uuid, p_account uuid, p_fingerprint bytea, p_attempt integer, p_retry_seconds integer, p_repeat_seconds integer
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_id uuid;
  v_since timestamptz := clock_timestamp()
    - make_interval(secs => CASE WHEN p_attempt IS NULL THEN p_repeat_seconds ELSE p_retry_seconds END);
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended(p_account::text || encode(p_fingerprint, 'hex'), 0));
  -- Each claim removes more rows than it adds. A generation may run for longer than the windows.
  DELETE FROM openai_call WHERE id IN (
    SELECT id FROM openai_call WHERE seen_at < clock_timestamp() - interval '1 day'
    ORDER BY seen_at LIMIT 10 FOR UPDATE SKIP LOCKED);
  -- A failed generation was refunded, so a retry makes another one. Of several calls, one that has not seen this retry yet is
  -- chosen: concurrent identical calls each keep their own.
  SELECT c.id INTO v_id FROM openai_call c
    LEFT JOIN generation g ON g.account_id = c.account_id AND g.idempotency_key = 'openai-' || c.id
    WHERE c.account_id = p_account AND c.fingerprint = p_fingerprint
      AND (g.id IS NULL OR g.status NOT IN ('failed', 'canceled'))
      AND (c.seen_at > v_since OR (g.id IS NOT NULL AND coalesce(g.completed_at, 'infinity') > v_since))
      AND (p_attempt IS NULL OR p_attempt > 0 OR NOT c.has_first)
    ORDER BY c.attempt < coalesce(p_attempt, 0) DESC, c.created_at DESC, c.id DESC LIMIT 1;
  IF v_id IS NULL THEN
    v_id := p_id;
    INSERT INTO openai_call (id, account_id, fingerprint, attempt, has_first)
      VALUES (p_id, p_account, p_fingerprint, coalesce(p_attempt, 0), coalesce(p_attempt, 0) = 0);
  ELSE
    UPDATE openai_call SET attempt = greatest(attempt, coalesce(p_attempt, 0)), has_first = has_first OR p_attempt = 0,
        seen_at = clock_timestamp()
      WHERE account_id = p_account AND id = v_id;
  END IF;
  RETURN 'openai-' || v_id;
END $$;
