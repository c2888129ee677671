-- Ends of many runs in one statement. A batch of one costs more than settle_generation, so a lone end keeps that function; tests
-- compare the rows of both. Both share record_events, record_deliveries and enqueue_jobs, which take arrays.

-- Settles each run whose attempt is still current, as settle_generation does. The arrays have one element per run, and no generation
-- occurs twice. Locks accounts by id, then generations, then months of keys. It holds the locks of many accounts, so it
-- does not wait long for one of them: the caller then settles each run separately.
CREATE OR REPLACE FUNCTION settle_generations(
  p_ids uuid[], p_attempts integer[], p_error_codes text[], p_error_messages text[], p_assets jsonb[], p_retention_days integer[]
) RETURNS TABLE (settled uuid[], wake text[]) LANGUAGE plpgsql
SET lock_timeout = '200ms' SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_accounts   uuid[];
  v_charged    bigint[];
  v_deliveries integer;
BEGIN
  SELECT array_agg(DISTINCT g.account_id) INTO v_accounts FROM generation g WHERE g.id = ANY (p_ids);
  PERFORM 1 FROM account a WHERE a.id = ANY (v_accounts) ORDER BY a.id FOR NO KEY UPDATE;

  WITH given AS MATERIALIZED (
    SELECT s.id, s.attempt, s.assets, s.retention_days, n.delivered,
      -- A run without outputs is a failure, even if the caller reports success.
      CASE WHEN s.error_code IS NULL AND n.delivered = 0 THEN 'internal' ELSE s.error_code END AS error_code,
      CASE WHEN s.error_code IS NULL AND n.delivered = 0 THEN 'The provider returned no output.' ELSE s.error_message END AS error_message
    FROM unnest(p_ids, p_attempts, p_error_codes, p_error_messages, p_assets, p_retention_days)
        AS s (id, attempt, error_code, error_message, assets, retention_days)
      CROSS JOIN LATERAL (VALUES (jsonb_array_length(s.assets))) AS n (delivered)
  ), ended AS (
    UPDATE generation g SET
      status = CASE WHEN s.error_code IS NULL THEN 'succeeded' ELSE 'failed' END,
      completed_at = clock_timestamp(),
      progress = CASE WHEN s.error_code IS NULL THEN 1 ELSE g.progress END,
      coins_charged = CASE WHEN s.error_code IS NULL THEN g.coins_per_output * s.delivered ELSE 0 END,
      error_code = s.error_code, error_message = s.error_message
    FROM given s WHERE g.id = s.id AND g.status = 'processing' AND g.attempt = s.attempt
    RETURNING g.id, g.account_id, g.coins_charged, s.assets, s.retention_days
  ), stored AS (
    INSERT INTO asset (id, account_id, source, generation_id, position, kind, mime_type, bytes, sha256, width, height,
                       duration_seconds, transparent, stem, object_key, variants, expires_at)
    SELECT a.id, e.account_id, 'output', e.id, a.position, a.kind, a.mime_type, a.bytes, decode(a.sha256, 'hex'), a.width, a.height,
           a.duration_seconds, a.transparent, a.stem, a.object_key, a.variants, now() + e.retention_days * interval '1 day'
    FROM ended e CROSS JOIN LATERAL jsonb_to_recordset(e.assets) AS a (id uuid, position integer, kind text, mime_type text, bytes bigint,
           sha256 text, width integer, height integer, duration_seconds double precision, transparent boolean, stem text, object_key text,
           variants jsonb)
  )
  SELECT array_agg(e.id), array_agg(e.coins_charged) INTO settled, v_charged FROM ended e;
  IF settled IS NULL THEN settled := '{}'; wake := '{}'; RETURN NEXT; RETURN; END IF;

  PERFORM close_holds(p_generations => settled, p_charged => v_charged);
  v_deliveries := record_events(p_generations => settled);
  IF 'content_policy' = ANY (p_error_codes) THEN
    UPDATE account a SET cooldown_until = clock_timestamp() + interval '10 minutes'
    WHERE a.id IN (SELECT g.account_id FROM generation g WHERE g.id = ANY (settled) AND g.error_code = 'content_policy') AND 5 <= (
      SELECT count(*) FROM generation x WHERE x.account_id = a.id AND x.error_code = 'content_policy' AND x.completed_at > now() - interval '10 minutes'
    );
  END IF;
  wake := promote_after(p_ended => settled);
  IF v_deliveries > 0 THEN wake := wake || 'deliver-webhook'::text; END IF;
  RETURN NEXT;
END $$;

-- Admits the oldest waiting generations of the accounts of these ended ones, as promote_waiting does for one account. The caller holds
-- the locks of the accounts. Returns the queues with new jobs.
CREATE OR REPLACE FUNCTION promote_after(p_ended uuid[]) RETURNS text[] LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_pools text[];
  v_jobs  uuid[];
  v_data  jsonb[];
  v_mixed uuid[];
  v_mix   uuid;
BEGIN
  WITH room AS MATERIALIZED (
    SELECT a.id, a.run_limit, a.slots - f.freed AS slots, greatest(a.run_limit - (a.slots - f.freed), 0) AS free, f.freed
    FROM (SELECT g.account_id, count(*)::integer AS freed FROM generation g WHERE g.id = ANY (p_ended) GROUP BY g.account_id) f
      JOIN account a ON a.id = f.account_id
  ), next AS MATERIALIZED (
    SELECT w.id, w.account_id, w.pool, w.model_id FROM room r CROSS JOIN LATERAL (
      SELECT g.id, g.account_id, g.pool, g.model_id FROM generation g
      WHERE g.account_id = r.id AND g.status = 'queued' AND NOT g.admitted AND g.completed_at IS NULL
      ORDER BY g.queue_number LIMIT r.free
    ) w
  ), admitted AS (
    UPDATE generation g SET admitted = true FROM next n WHERE g.id = n.id
  ), total AS MATERIALIZED (
    SELECT r.id, r.run_limit, r.slots + count(n.id)::integer AS slots, r.slots + r.freed AS before, count(n.id) = r.freed AS is_replaced,
      min(n.model_id) AS first_model, max(n.model_id) AS last_model
    FROM room r LEFT JOIN next n ON n.account_id = r.id GROUP BY r.id, r.run_limit, r.slots, r.freed
  ), counted AS (
    UPDATE account a SET slots = t.slots FROM total t WHERE a.id = t.id AND a.slots <> t.slots
  )
  SELECT (SELECT array_agg(n.pool) FROM next n), (SELECT array_agg(n.id) FROM next n),
    (SELECT array_agg(jsonb_build_object('generationId', n.id)) FROM next n),
    -- Those whose other models may need jobs too. With one model only, the next generation replaces the one that ended.
    (SELECT array_agg(t.id) FROM total t WHERE t.before > t.run_limit OR (t.slots = t.run_limit AND NOT (
      t.is_replaced AND t.first_model = t.last_model AND NOT EXISTS (
        SELECT 1 FROM generation w
        WHERE w.account_id = t.id AND w.status = 'queued' AND NOT w.admitted AND w.completed_at IS NULL AND w.model_id < t.first_model
      ) AND NOT EXISTS (
        SELECT 1 FROM generation w
        WHERE w.account_id = t.id AND w.status = 'queued' AND NOT w.admitted AND w.completed_at IS NULL AND w.model_id > t.first_model
      ))))
    INTO v_pools, v_jobs, v_data, v_mixed;
  IF v_jobs IS NOT NULL THEN PERFORM enqueue_jobs(p_queues => v_pools, p_ids => v_jobs, p_data => v_data, p_start_after => now()); END IF;
  FOREACH v_mix IN ARRAY coalesce(v_mixed, '{}') LOOP
    v_pools := v_pools || promote_waiting(p_account => v_mix, p_freed => 0);
  END LOOP;
  RETURN ARRAY(SELECT DISTINCT p FROM unnest(v_pools) AS p);
END $$;
