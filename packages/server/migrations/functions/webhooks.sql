-- Webhook deliveries.

-- Adds a delivery of an event to each endpoint that subscribes to it: with its job, or held while the endpoint is paused.
-- Returns the number of jobs.
CREATE OR REPLACE FUNCTION record_deliveries(p_event event, p_key uuid) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_count integer;
BEGIN
  WITH made AS (
    INSERT INTO delivery (id, event_id, endpoint_id, account_id, created_at, status, reason, next_at, job_id)
      SELECT gen_random_uuid(), p_event.id, e.id, p_event.account_id, p_event.created_at, s.status, s.reason, s.next_at, gen_random_uuid()
      FROM webhook_endpoint e
      JOIN (VALUES ('active', 'pending', NULL, now()), ('paused', 'held', 'The endpoint is paused.', NULL)) AS s (endpoint, status, reason, next_at)
        ON s.endpoint = e.status
      WHERE e.account_id = p_event.account_id AND e.status <> 'deleted' AND p_event.type = ANY (e.events)
        AND (e.key_id IS NULL OR e.key_id = p_key)
      RETURNING id, job_id, status
  ), queued AS (
    SELECT enqueue_job(p_queue => 'deliver-webhook', p_id => made.job_id,
      p_data => jsonb_build_object('deliveryId', made.id, 'round', 1, 'attempt', 1), p_start_after => now())
    FROM made WHERE made.status = 'pending'
  )
  SELECT count(*) INTO v_count FROM queued;
  RETURN v_count;
END $$;
