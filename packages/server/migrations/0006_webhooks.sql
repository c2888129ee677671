-- Deliveries that know their job, test deliveries, and the indexes of the endpoint pages and the sweep.

ALTER TABLE delivery
  -- The one job that may act on this delivery. A job with another id has been replaced and does nothing; a pending
  -- delivery whose job is gone is found by it and gets another.
  ADD COLUMN job_id uuid,
  -- The whole event of a test delivery, which has no row in the feed.
  ADD COLUMN test_event jsonb,
  ALTER COLUMN event_id DROP NOT NULL,
  ADD CONSTRAINT delivery_event_or_test CHECK ((event_id IS NULL) = (test_event IS NOT NULL));

CREATE INDEX delivery_pending_of_endpoint ON delivery (endpoint_id) WHERE status = 'pending';
CREATE INDEX delivery_ended_badly ON delivery (endpoint_id, created_at) WHERE status IN ('failed', 'stopped');
CREATE INDEX delivery_of_test ON delivery (created_at) WHERE event_id IS NULL;
CREATE INDEX webhook_endpoint_failing ON webhook_endpoint (failing_since) WHERE failing_since IS NOT NULL AND status = 'active';

-- The same as before; each delivery now keeps the id of its job.
CREATE OR REPLACE FUNCTION record_event(g generation) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_event uuid := gen_random_uuid();
  v_count integer;
BEGIN
  INSERT INTO event (id, account_id, generation_id, type, created_at) VALUES (v_event, g.account_id, g.id, 'generation.' || g.status, g.completed_at);
  WITH made AS (
    INSERT INTO delivery (id, event_id, endpoint_id, account_id, created_at, next_at, job_id)
      SELECT gen_random_uuid(), v_event, e.id, g.account_id, g.completed_at, now(), gen_random_uuid() FROM webhook_endpoint e
      WHERE e.account_id = g.account_id AND e.status = 'active' AND ('generation.' || g.status) = ANY (e.events)
        AND (e.key_id IS NULL OR e.key_id = g.key_id)
      RETURNING id, job_id
  ), queued AS (
    SELECT enqueue_job('deliver-webhook', made.job_id, jsonb_build_object('deliveryId', made.id, 'round', 1, 'attempt', 1), now()) FROM made
  )
  SELECT count(*) INTO v_count FROM queued;
  RETURN v_count;
END $$;

-- The place of an event in the feed counts transactions of one server. After a restore, or a failover to a server that
-- had not received everything, those numbers begin again lower, so an epoch goes in front of them.
CREATE TABLE event_epoch (
  epoch  integer NOT NULL,
  -- The server and its timeline: both change exactly when transaction numbers may begin again.
  server text NOT NULL,
  single boolean PRIMARY KEY DEFAULT true CHECK (single)
);
GRANT SELECT ON event_epoch TO atelier_app;

CREATE FUNCTION server_identity() RETURNS text LANGUAGE sql AS $$
  SELECT s.system_identifier || '/' || c.timeline_id FROM pg_control_system() s, pg_control_checkpoint() c
$$;
INSERT INTO event_epoch (epoch, server) VALUES (1, server_identity());

-- Volatile, so that it reads what is committed now and not what was when its statement began.
CREATE FUNCTION current_epoch() RETURNS integer LANGUAGE sql VOLATILE AS $$ SELECT epoch FROM event_epoch $$;

-- Begins an epoch when this is another server than the one that wrote last. The lock waits for every writer of events,
-- so none of the old epoch can still commit once the new one is read.
CREATE FUNCTION check_event_epoch() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM event_epoch WHERE server <> server_identity()) THEN
    LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE;
    UPDATE event_epoch SET epoch = epoch + 1, server = server_identity() WHERE server <> server_identity();
  END IF;
  RETURN current_epoch();
END $$;

ALTER TABLE event ADD COLUMN epoch integer NOT NULL DEFAULT 1;
ALTER TABLE event ALTER COLUMN epoch SET DEFAULT current_epoch();
DROP INDEX event_feed;
CREATE INDEX event_feed ON event (account_id, epoch, xid, seq);
