-- migrate: outside a transaction
-- A move takes the events of its accounts along.
CREATE INDEX CONCURRENTLY IF NOT EXISTS payment_event_account ON payment_event (account_id) WHERE account_id IS NOT NULL;
