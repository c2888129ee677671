-- Coins. Every movement is one row that debits one place and credits another by the same amount.

CREATE TABLE transfer (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  account_id    uuid NOT NULL REFERENCES account (id),
  kind          text NOT NULL CHECK (kind IN ('grant', 'adjust', 'hold', 'capture', 'release')),
  debit         text NOT NULL,
  credit        text NOT NULL,
  amount        bigint NOT NULL CHECK (amount > 0),
  generation_id uuid,
  actor         text,
  reason        text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  -- Each kind has its one direction; an adjustment may go both ways.
  CHECK (
    (kind = 'grant'   AND debit = 'issued'    AND credit = 'available') OR
    (kind = 'adjust'  AND debit = 'adjustment' AND credit = 'available') OR
    (kind = 'adjust'  AND debit = 'available' AND credit = 'adjustment') OR
    (kind = 'hold'    AND debit = 'available' AND credit = 'held') OR
    (kind = 'capture' AND debit = 'held'      AND credit = 'revenue') OR
    (kind = 'release' AND debit = 'held'      AND credit = 'available')
  ),
  CHECK ((kind IN ('hold', 'capture', 'release')) = (generation_id IS NOT NULL)),
  CHECK (kind NOT IN ('grant', 'adjust') OR (actor IS NOT NULL AND reason IS NOT NULL))
);
CREATE INDEX transfer_account ON transfer (account_id, id);
-- One hold, at most one capture and at most one release per generation.
CREATE UNIQUE INDEX transfer_once ON transfer (generation_id, kind) WHERE generation_id IS NOT NULL;

CREATE TRIGGER transfer_append_only BEFORE UPDATE OR DELETE ON transfer
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfer_no_truncate BEFORE TRUNCATE ON transfer
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

CREATE TRIGGER transfer_fold AFTER INSERT ON transfer
  FOR EACH ROW EXECUTE FUNCTION fold_transfer();
