-- Rows that change in place, and plans that depend neither on the size of a table nor on that of an account. docs/decisions/0013
-- explains the indexes of generation.

-- A generation is live exactly while completed_at is null, and how it ended follows from error_code and coins_charged. Indexes
-- rely on this: unlike status, these columns change only once, so that a take and every report of progress write no index.
ALTER TABLE generation
  DROP CONSTRAINT generation_check3,
  DROP CONSTRAINT generation_check4,
  ADD CONSTRAINT generation_live_or_ended CHECK ((completed_at IS NULL) = (status IN ('queued', 'processing'))),
  ADD CONSTRAINT generation_charged CHECK (completed_at IS NULL OR (coins_charged IS NOT NULL AND (coins_charged > 0) = (status = 'succeeded')));

DROP INDEX generation_live;
DROP INDEX generation_unfinished;
DROP INDEX generation_waiting;
DROP INDEX generation_ended_badly;
DROP INDEX generation_by_model;
-- Live generations: those of an account with a slot, which the running limit bounds, and those that wait; and all by age.
CREATE INDEX generation_live ON generation (account_id, admitted, created_at DESC, id DESC) WHERE completed_at IS NULL;
CREATE INDEX generation_waiting ON generation (account_id, queue_number) WHERE completed_at IS NULL AND NOT admitted;
CREATE INDEX generation_unfinished ON generation (admitted, created_at) WHERE completed_at IS NULL;
-- Every combination of filters of a list. Each key is one expression, so that no plan uses part of it and filters the rest.
CREATE INDEX generation_by_state ON generation (account_id, (
  CASE WHEN completed_at IS NULL THEN 'live' WHEN error_code IS NOT NULL THEN 'failed' WHEN coins_charged = 0 THEN 'canceled' ELSE 'succeeded' END
  || '/' || modality || '/' || workspace), created_at DESC, id DESC);
CREATE INDEX generation_by_model ON generation (account_id, (
  model_id || '/' ||
  CASE WHEN completed_at IS NULL THEN 'live' WHEN error_code IS NOT NULL THEN 'failed' WHEN coins_charged = 0 THEN 'canceled' ELSE 'succeeded' END
  || '/' || modality || '/' || workspace), created_at DESC, id DESC);

-- Space on the page for the next version of a row. Pages that are already full keep their layout.
ALTER TABLE generation SET (fillfactor = 60);
ALTER TABLE hold SET (fillfactor = 50);
ALTER TABLE account SET (fillfactor = 50);
ALTER TABLE key_month SET (fillfactor = 50);
-- A hold is open exactly while its generation is live, and the index of those is smaller. Without this index a hold closes in place.
DROP INDEX hold_open;

-- The outputs of a page. With account and generation in separate indexes, the planner reads every file of the account.
DROP INDEX asset_of_generation;
CREATE INDEX asset_of_generation ON asset (account_id, generation_id, position) WHERE generation_id IS NOT NULL;
-- No statement uses it.
DROP INDEX asset_of_account;
-- Deleting a file looks up the upload that it came from.
DROP INDEX resumable_upload_of_account;
CREATE INDEX resumable_upload_of_account ON resumable_upload (account_id, asset_id);

-- The log of an endpoint by status, and the deliveries that a pause or a deletion stops.
CREATE INDEX delivery_by_status ON delivery (endpoint_id, status, created_at DESC, id DESC);
DROP INDEX delivery_pending_of_endpoint;

-- The same index as audit_log_of_account.
DROP INDEX audit_log_account;
