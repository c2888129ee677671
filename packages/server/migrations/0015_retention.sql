-- What an erasure and the retention of generations need.

-- The audit log is kept for ever without personal content: an erasure takes words out of it, and nothing else may change.
DROP TRIGGER audit_log_append_only ON audit_log;
CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION guard_audit();
CREATE INDEX IF NOT EXISTS audit_log_of_account ON audit_log (account_id, id) WHERE account_id IS NOT NULL;

-- What endpoints answered goes with the account.
GRANT UPDATE (error, excerpt) ON attempt TO atelier_app;

-- Ended generations that still hold their request, oldest first: the sweep walks it.
CREATE INDEX generation_to_clear ON generation (completed_at) WHERE completed_at IS NOT NULL AND erased_at IS NULL;

-- The most bytes of uploads that an account may have stored at once; null: what the installation allows.
ALTER TABLE account ADD COLUMN storage_quota bigint CHECK (storage_quota > 0);
GRANT UPDATE (storage_quota) ON account TO atelier_app;
CREATE INDEX asset_uploads ON asset (account_id) INCLUDE (bytes, expires_at) WHERE source = 'upload';
