-- What a worker cannot run, and why: engines without their weights and required safety checks. The operator's commands read it.
CREATE TABLE worker_status (
  worker      text PRIMARY KEY,
  seen_at     timestamptz NOT NULL DEFAULT now(),
  -- [{"kind": "engine" | "check", "name": text, "reason": text}]
  unavailable jsonb NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON worker_status TO atelier_app;

-- Failures of runs in the provider's own words, which may repeat a customer's. The operator's commands alone read them: they
-- reach neither the API nor a log.
CREATE TABLE run_failure (
  id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  generation_id uuid NOT NULL,
  account_id    uuid NOT NULL,
  attempt       integer NOT NULL,
  target        text,
  code          text NOT NULL,
  -- retry: tried again. fail: the generation ended. drop: one output of several was not delivered.
  decision      text NOT NULL CHECK (decision IN ('retry', 'fail', 'drop')),
  message       text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
  FOREIGN KEY (account_id, generation_id) REFERENCES generation (account_id, id)
);
CREATE INDEX run_failure_of_generation ON run_failure (account_id, generation_id, id);
CREATE INDEX run_failure_age ON run_failure (created_at);
GRANT SELECT, INSERT, DELETE ON run_failure TO atelier_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO atelier_app;
