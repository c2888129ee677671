-- A delivery that is not sent for now, because its endpoint is paused or its secret cannot be opened: `held` until it is redelivered.
ALTER TABLE delivery DROP CONSTRAINT delivery_status_check;
ALTER TABLE delivery ADD CONSTRAINT delivery_status_check CHECK (status IN ('pending', 'delivered', 'failed', 'stopped', 'held'));
DROP INDEX delivery_ended_badly;
CREATE INDEX delivery_to_redeliver ON delivery (endpoint_id, created_at) WHERE status IN ('failed', 'stopped', 'held');

-- Events that ended while an endpoint was paused had no delivery until now.
INSERT INTO delivery (id, event_id, endpoint_id, account_id, status, reason, created_at)
  SELECT gen_random_uuid(), e.id, p.id, e.account_id, 'held', 'The endpoint is paused.', e.created_at
  FROM webhook_endpoint p
  JOIN event e ON e.account_id = p.account_id AND e.created_at > p.updated_at AND e.type = ANY (p.events)
  JOIN generation g ON g.id = e.generation_id AND (p.key_id IS NULL OR p.key_id = g.key_id)
  WHERE p.status = 'paused'
  ON CONFLICT DO NOTHING;
