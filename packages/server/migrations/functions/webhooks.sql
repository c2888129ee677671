-- Webhook deliveries.

-- Adds a delivery of each event to each endpoint that subscribes to it: with its job, or held while the endpoint is paused.
-- Returns the number of jobs.
CREATE OR REPLACE FUNCTION record_deliveries(p_events uuid[]) RETURNS integer LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_jobs uuid[];
  v_data jsonb[];
BEGIN
  WITH made AS (
    INSERT INTO delivery (id, event_id, endpoint_id, account_id, created_at, status, reason, next_at, job_id)
      SELECT gen_random_uuid(), v.id, e.id, v.account_id, v.created_at, s.status, s.reason, s.next_at, gen_random_uuid()
      FROM event v JOIN generation g ON g.id = v.generation_id
      JOIN webhook_endpoint e ON e.account_id = v.account_id
      JOIN (VALUES ('active', 'pending', NULL, now()), ('paused', 'held', 'The endpoint is paused.', NULL)) AS s (endpoint, status, reason, next_at)
        ON s.endpoint = e.status
      WHERE v.id = ANY (p_events) AND e.status <> 'deleted' AND v.type = ANY (e.events)
        AND (e.key_id IS NULL OR e.key_id = g.key_id)
      RETURNING id, job_id, status
  )
  SELECT array_agg(job_id), array_agg(jsonb_build_object('deliveryId', id, 'round', 1, 'attempt', 1))
    INTO v_jobs, v_data FROM made WHERE status = 'pending';
  IF v_jobs IS NULL THEN RETURN 0; END IF;
  PERFORM enqueue_jobs(p_queues => array_fill('deliver-webhook'::text, ARRAY[cardinality(v_jobs)]), p_ids => v_jobs, p_data => v_data,
    p_start_after => now());
  RETURN cardinality(v_jobs);
END $$;
