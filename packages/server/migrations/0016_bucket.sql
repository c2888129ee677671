-- Which parts of the bucket belong to this database, and whether it may delete there.
CREATE TABLE bucket_prefix (
  -- In front of every key: cell-<cell>/<random>/. Empty for the layout of the first version, which had no prefix.
  prefix     text PRIMARY KEY,
  -- What the marker object under the prefix must hold. A claim changes it, so whoever owned the prefix before is refused.
  owner      uuid NOT NULL,
  -- What it holds next: every sweep renews it, so of two copies of one database the second to sweep is refused.
  next_owner uuid,
  -- The database that claimed the prefix. A restored copy is another one.
  claimed_by text NOT NULL,
  -- Files are written under the prefix that was made for the cell in this database. Null for a prefix that is only read.
  cell       text,
  made_for   text,
  -- When the marker was put into the bucket; null until then.
  marked_at  timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (made_for, cell)
);

-- Why the last sweep deleted less than it found; no row when it deleted everything.
CREATE TABLE sweep_refusal (
  prefix text PRIMARY KEY REFERENCES bucket_prefix (prefix),
  reason text NOT NULL,
  since  timestamptz NOT NULL DEFAULT now()
);

-- Places in the layout without a prefix, which is no longer searched for orphans.
DELETE FROM sweep_place;

GRANT SELECT, INSERT, UPDATE ON bucket_prefix TO atelier_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON sweep_refusal TO atelier_app;
