-- The coins that an account was charged, by day, model, key and project. It is computed from the captures of the ledger, each
-- counted once, when somebody asks for it; docs/decisions/0015 explains why. Neither table has a foreign key to the account: its
-- check would lock the account against submits and settlements.
CREATE TABLE usage_day (
  account_id  uuid NOT NULL,
  -- UTC day of the capture.
  day         date NOT NULL,
  model_id    text NOT NULL,
  key_id      uuid,
  project_id  text,
  model_name  text NOT NULL,
  generations bigint NOT NULL CHECK (generations > 0),
  coins       bigint NOT NULL CHECK (coins > 0),
  CONSTRAINT usage_day_group UNIQUE NULLS NOT DISTINCT (account_id, day, model_id, key_id, project_id)
) WITH (fillfactor = 70);

-- The last transfer of an account whose capture is counted.
CREATE TABLE usage_position (
  account_id  uuid PRIMARY KEY,
  transfer_id bigint NOT NULL CHECK (transfer_id >= 0)
);

GRANT SELECT, INSERT, UPDATE, DELETE ON usage_day, usage_position TO atelier_app;
