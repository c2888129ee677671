-- A command line asks for an API key with a short code, which a person confirms in the console.
CREATE TABLE pairing (
  -- Of the secret that only the command line has.
  secret_hash bytea PRIMARY KEY CHECK (length(secret_hash) = 32),
  user_code   text NOT NULL UNIQUE CHECK (user_code ~ '^[BCDFGHJKLMNPQRSTVWXZ]{8}$'),
  device_name text NOT NULL CHECK (length(device_name) BETWEEN 1 AND 100),
  scopes      text[] NOT NULL CHECK (cardinality(scopes) > 0),
  -- What the command line asks for; after the approval, what the person allows.
  monthly_cap bigint CHECK (monthly_cap > 0),
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz NOT NULL,
  denied_at   timestamptz,
  approved_at timestamptz,
  approved_by uuid REFERENCES person ON DELETE CASCADE,
  -- No foreign key: its check would lock the account against submits.
  account_id  uuid,
  CHECK (denied_at IS NULL OR approved_at IS NULL),
  CHECK (num_nulls(approved_at, approved_by, account_id) IN (0, 3))
);
CREATE INDEX pairing_expired ON pairing (expires_at);
CREATE INDEX pairing_of_person ON pairing (approved_by);
GRANT SELECT, INSERT, UPDATE, DELETE ON pairing TO atelier_app;
