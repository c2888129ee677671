-- Requests of known callers that submitted a generation or were refused: from the id that a customer reports to the cause.
-- Written after the response, so a crash may lose some; deleted after two weeks. Without foreign keys, which would lock busy accounts.
CREATE TABLE request_record (
  -- The X-Request-Id of the response, which is the `instance` of a problem.
  id            uuid PRIMARY KEY,
  account_id    uuid NOT NULL,
  key_id        uuid,
  channel       text NOT NULL,
  operation     text NOT NULL,
  status        integer NOT NULL,
  -- The code of the problem; null for a submit that was accepted.
  code          text,
  -- Names of the contract only.
  issue_paths   text[] NOT NULL,
  generation_id uuid,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX request_record_of_account ON request_record (account_id, generation_id);
CREATE INDEX request_record_age ON request_record (created_at);
GRANT SELECT, INSERT, DELETE ON request_record TO atelier_app;
