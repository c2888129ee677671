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

GRANT SELECT, INSERT, UPDATE, DELETE ON sweep_place, resumable_upload TO atelier_app;
