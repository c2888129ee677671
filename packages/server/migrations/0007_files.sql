-- Files: where the sweep of the bucket goes on, uploads in several pieces, and the erasure of an account.

-- The key after which the next sweep reads on. A full round takes several sweeps, each of them bounded.
CREATE TABLE sweep_place (
  prefix    text PRIMARY KEY,
  after_key text NOT NULL
);

-- A file that arrives in pieces, at any API process. It becomes an upload only when it is whole.
CREATE TABLE resumable_upload (
  id         uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES account (id),
  bytes      bigint NOT NULL CHECK (bytes > 0),
  received   bigint NOT NULL DEFAULT 0 CHECK (received BETWEEN 0 AND bytes),
  -- Keys of the stored pieces, in order.
  parts      text[] NOT NULL DEFAULT '{}',
  -- What became of it. A repeated completion answers the same.
  asset_id   uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  FOREIGN KEY (account_id, asset_id) REFERENCES asset (account_id, id) ON DELETE CASCADE
);
CREATE INDEX resumable_upload_of_account ON resumable_upload (account_id);
CREATE INDEX resumable_upload_expiry ON resumable_upload (expires_at);

-- Set when what the customer said in it was erased. What it cost stays.
ALTER TABLE generation ADD COLUMN erased_at timestamptz;

CREATE OR REPLACE FUNCTION guard_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  c_said CONSTANT text[] := ARRAY['params', 'effect_text', 'project_id', 'fingerprint', 'error_message', 'provider_handle', 'erased_at'];
BEGIN
  IF NEW.status = OLD.status AND OLD.status IN ('queued', 'processing') THEN RETURN NEW; END IF;
  IF (OLD.status, NEW.status) IN (
    ('queued', 'processing'), ('queued', 'canceled'), ('queued', 'failed'),
    ('processing', 'succeeded'), ('processing', 'failed')
  ) THEN RETURN NEW; END IF;
  -- An end never changes, save that the customer's words may be taken out of it.
  IF NEW.status = OLD.status AND NEW.erased_at IS NOT NULL AND NEW.params = '{}'
    AND to_jsonb(NEW) - c_said = to_jsonb(OLD) - c_said THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'a generation cannot go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
END $$;

-- The first step of an erasure: nobody can act for the account any more, and its names are gone. Safe to repeat.
CREATE FUNCTION begin_erasure(p_account uuid, p_actor text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET name = 'erased', locked_at = coalesce(locked_at, now()), locked_reason = 'erased' WHERE id = p_account;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE api_key SET name = 'erased', revoked_at = coalesce(revoked_at, now()) WHERE account_id = p_account;
  UPDATE webhook_endpoint SET url = 'https://erased.invalid/', status = 'deleted', status_reason = NULL, updated_at = now()
    WHERE account_id = p_account;
  INSERT INTO audit_log (actor, action, account_id) VALUES (p_actor, 'account.erased', p_account);
  RETURN true;
END $$;

GRANT SELECT, INSERT, UPDATE, DELETE ON sweep_place, resumable_upload TO atelier_app;
GRANT EXECUTE ON FUNCTION begin_erasure(uuid, text) TO atelier_app;
