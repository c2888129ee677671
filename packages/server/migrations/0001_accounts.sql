-- Accounts, their keys, and the operator's switches.

-- The group that the running service belongs to. It may use the tables, never rewrite the ledger.
DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'atelier_app') THEN
    CREATE ROLE atelier_app NOLOGIN;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- roles are of the whole server: another database's migration was quicker
END $$;

CREATE TABLE account (
  id             uuid PRIMARY KEY,
  owner_id       uuid NOT NULL,
  mode           text NOT NULL CHECK (mode IN ('live', 'test')),
  name           text NOT NULL,
  -- Folds of the transfers, kept by the trigger on transfer and by nothing else.
  available      bigint NOT NULL DEFAULT 0,
  held           bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
  -- Admitted generations: those processing, and those queued with a job. The admission gate.
  slots          integer NOT NULL DEFAULT 0 CHECK (slots >= 0),
  run_limit      integer NOT NULL CHECK (run_limit > 0),
  raised_limit   integer CHECK (raised_limit > 0),
  rate_limit     integer NOT NULL DEFAULT 300 CHECK (rate_limit > 0),
  locked_at      timestamptz,
  locked_reason  text,
  cooldown_until timestamptz,
  created_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (owner_id, mode)
);

CREATE TABLE api_key (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account (id),
  name         text NOT NULL,
  hash         bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
  prefix       text NOT NULL,
  last4        text NOT NULL,
  scopes       text[] NOT NULL CHECK (scopes <@ ARRAY['generate', 'read', 'uploads', 'account']),
  monthly_cap  bigint CHECK (monthly_cap > 0),
  rate_limit   integer NOT NULL DEFAULT 120 CHECK (rate_limit > 0),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  last_used_at timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now(),
  UNIQUE (account_id, id)
);

-- What a key has spent and still holds in a UTC month.
CREATE TABLE key_month (
  key_id   uuid NOT NULL REFERENCES api_key (id),
  month    date NOT NULL CHECK (extract(day FROM month) = 1),
  reserved bigint NOT NULL DEFAULT 0 CHECK (reserved >= 0),
  spent    bigint NOT NULL DEFAULT 0 CHECK (spent >= 0),
  PRIMARY KEY (key_id, month)
);

-- The operator's switches: maintenance, channels, closed models.
CREATE TABLE setting (
  name       text PRIMARY KEY,
  value      jsonb NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE audit_log (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         timestamptz NOT NULL DEFAULT now(),
  actor      text NOT NULL,
  action     text NOT NULL,
  account_id uuid,
  detail     jsonb NOT NULL DEFAULT '{}'
);

CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE ON audit_log
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
