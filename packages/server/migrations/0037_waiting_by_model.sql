-- migrate: outside a transaction
-- The next waiting generation of each model.
CREATE INDEX CONCURRENTLY IF NOT EXISTS generation_waiting_by_model ON generation (account_id, model_id, queue_number)
  WHERE completed_at IS NULL AND NOT admitted;
