-- Events and their epochs.

-- Records the event of a settled or canceled generation, with a delivery for every subscribed endpoint: a job is queued for each, or the
-- delivery is held while the endpoint is paused. Returns the number of queued jobs.
CREATE OR REPLACE FUNCTION record_event(g generation) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_event uuid := gen_random_uuid();
  v_count integer;
BEGIN
  INSERT INTO event (id, account_id, generation_id, type, created_at) VALUES (v_event, g.account_id, g.id, 'generation.' || g.status, g.completed_at);
  WITH made AS (
    INSERT INTO delivery (id, event_id, endpoint_id, account_id, created_at, status, reason, next_at, job_id)
      SELECT gen_random_uuid(), v_event, e.id, g.account_id, g.completed_at, s.status, s.reason, s.next_at, gen_random_uuid()
      FROM webhook_endpoint e
      JOIN (VALUES ('active', 'pending', NULL, now()), ('paused', 'held', 'The endpoint is paused.', NULL)) AS s (endpoint, status, reason, next_at)
        ON s.endpoint = e.status
      WHERE e.account_id = g.account_id AND e.status <> 'deleted' AND ('generation.' || g.status) = ANY (e.events)
        AND (e.key_id IS NULL OR e.key_id = g.key_id)
      RETURNING id, job_id, status
  ), queued AS (
    SELECT enqueue_job('deliver-webhook', made.job_id, jsonb_build_object('deliveryId', made.id, 'round', 1, 'attempt', 1), now())
    FROM made WHERE made.status = 'pending'
  )
  SELECT count(*) INTO v_count FROM queued;
  RETURN v_count;
END $$;

-- Starts a new epoch if this is not the server that wrote last. The lock waits for all writers of events, so no event of
-- the old epoch can commit after the new one is visible.
CREATE OR REPLACE FUNCTION check_event_epoch() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM event_epoch WHERE server <> server_identity()) THEN
    LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE;
    UPDATE event_epoch SET epoch = epoch + 1, server = server_identity() WHERE server <> server_identity();
  END IF;
  RETURN current_epoch();
END $$;
