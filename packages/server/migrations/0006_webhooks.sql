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

-- The place of an event in the feed counts transactions of one server. After a restore, or a failover to a server that
-- had not received everything, those numbers begin again lower, so an epoch goes in front of them.
CREATE TABLE event_epoch (
  epoch  integer NOT NULL,
  -- The server and its timeline: both change exactly when transaction numbers may begin again.
  server text NOT NULL,
  single boolean PRIMARY KEY DEFAULT true CHECK (single)
);
GRANT SELECT ON event_epoch TO atelier_app;

INSERT INTO event_epoch (epoch, server) VALUES (1, server_identity());

ALTER TABLE event ADD COLUMN epoch integer NOT NULL DEFAULT 1;
ALTER TABLE event ALTER COLUMN epoch SET DEFAULT current_epoch();
DROP INDEX event_feed;
CREATE INDEX event_feed ON event (account_id, epoch, xid, seq);
