-- What safe operation needs: references that make a grant repeatable, and the fingerprints of the master keys.

-- The operator's own name for a movement of coins. The same one again moves nothing.
ALTER TABLE transfer
  ADD COLUMN reference text CHECK (length(reference) BETWEEN 1 AND 200),
  ADD CONSTRAINT transfer_reference_of_operator CHECK (reference IS NULL OR kind IN ('grant', 'adjust'));
CREATE UNIQUE INDEX transfer_reference ON transfer (account_id, reference) WHERE reference IS NOT NULL;

CREATE INDEX audit_log_account ON audit_log (account_id, id) WHERE account_id IS NOT NULL;

-- The master keys that this database was used with, each as a digest that no key can be computed from. A process whose keys
-- include none of them does not start.
CREATE TABLE master_key (
  fingerprint text PRIMARY KEY CHECK (fingerprint ~ '^[0-9a-f]{64}$'),
  first_used_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, DELETE ON master_key TO atelier_app;
