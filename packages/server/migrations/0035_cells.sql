-- Accounts that move to another cell; docs/decisions/0026 explains the steps.

ALTER TABLE account
  -- The cell that it moves to. Submits are refused from then on.
  ADD COLUMN moving_to text CHECK (moving_to ~ '^[a-z0-9]{1,8}$'),
  -- The cell that has it now. Its rows here are a copy, and its coins are there.
  ADD COLUMN moved_to  text CHECK (moved_to ~ '^[a-z0-9]{1,8}$'),
  ADD CONSTRAINT account_moved CHECK (moved_to IS NULL OR (available = 0 AND held = 0 AND slots = 0));
GRANT UPDATE (moving_to, moved_to) ON account TO atelier_app;

-- Transfers that came with an account: the cell that booked them, and their id there. Null for what this cell booked.
ALTER TABLE transfer
  ADD COLUMN origin_cell text,
  ADD COLUMN origin_id   bigint,
  ADD CONSTRAINT transfer_origin CHECK ((origin_cell IS NULL) = (origin_id IS NULL)),
  DROP CONSTRAINT transfer_check,
  -- Each kind has its one direction; an adjustment may go both ways. `moved`: coins that are in another cell.
  ADD CONSTRAINT transfer_direction CHECK (
    (kind = 'grant'   AND debit = 'issued'    AND credit = 'available') OR
    (kind = 'adjust'  AND debit IN ('adjustment', 'moved') AND credit = 'available') OR
    (kind = 'adjust'  AND debit = 'available' AND credit IN ('adjustment', 'moved')) OR
    (kind = 'hold'    AND debit = 'available' AND credit = 'held') OR
    (kind = 'capture' AND debit = 'held'      AND credit = 'revenue') OR
    (kind = 'release' AND debit = 'held'      AND credit = 'available')
  );
CREATE UNIQUE INDEX transfer_from ON transfer (account_id, origin_cell, origin_id) WHERE origin_cell IS NOT NULL;

-- One row per move in each of its two cells, with the same id.
CREATE TABLE account_move (
  id          uuid PRIMARY KEY,
  pair_id     uuid NOT NULL,
  -- Away from this cell, or to it.
  direction   text NOT NULL CHECK (direction IN ('out', 'in')),
  -- The other cell.
  cell        text NOT NULL,
  state       text NOT NULL CHECK (state IN ('frozen', 'departed', 'switched', 'forgotten', 'canceled', 'arrived')),
  -- SHA-256 of the file with the rows, in hex.
  checksum    text CHECK (checksum ~ '^[0-9a-f]{64}$'),
  started_at  timestamptz NOT NULL DEFAULT now(),
  changed_at  timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX account_move_open ON account_move (pair_id) WHERE direction = 'out' AND state IN ('frozen', 'departed', 'switched');
GRANT SELECT, INSERT, UPDATE ON account_move TO atelier_app;

-- What the file of a departure would not have. The use of a key and the health of an endpoint may change: they are informational.
CREATE TRIGGER api_key_moved BEFORE INSERT OR UPDATE OF name, scopes, monthly_cap, request_cap, rate_limit, expires_at, revoked_at ON api_key
  FOR EACH ROW EXECUTE FUNCTION refuse_moved('account_id');
CREATE TRIGGER webhook_endpoint_moved BEFORE INSERT OR UPDATE OF url, events, key_id, secret_sealed, status ON webhook_endpoint
  FOR EACH ROW EXECUTE FUNCTION refuse_moved('account_id');
CREATE TRIGGER asset_moved BEFORE INSERT ON asset FOR EACH ROW WHEN (NEW.source = 'upload') EXECUTE FUNCTION refuse_moved('account_id');
CREATE TRIGGER checkout_moved BEFORE INSERT OR UPDATE ON checkout FOR EACH ROW EXECUTE FUNCTION refuse_moved('account_id');
CREATE TRIGGER budget_moved BEFORE INSERT ON budget FOR EACH ROW EXECUTE FUNCTION refuse_moved('account_id');
CREATE TRIGGER membership_moved BEFORE INSERT OR UPDATE ON membership FOR EACH ROW EXECUTE FUNCTION refuse_moved('pair_id');
CREATE TRIGGER invitation_moved BEFORE INSERT ON invitation FOR EACH ROW EXECUTE FUNCTION refuse_moved('pair_id');
-- An erasure must reach every cell that had the account.
CREATE TRIGGER account_settings_moved
  BEFORE UPDATE OF name, run_limit, raised_limit, rate_limit, storage_quota, locked_at, locked_reason ON account
  FOR EACH ROW WHEN (OLD.moved_to IS NOT NULL AND NEW.moved_to IS NOT NULL AND NEW.locked_reason IS DISTINCT FROM 'erased')
  EXECUTE FUNCTION refuse_moved('id');
