-- What one request of a key may cost. Clients of the OpenAI-compatible API cannot name a ceiling in their body.
ALTER TABLE api_key ADD COLUMN request_cap bigint CHECK (request_cap > 0);
GRANT UPDATE (request_cap) ON api_key TO atelier_app;

-- The recent calls of clients that send no Idempotency-Key (decision 0021). The key of its generation is `openai-<id>`.
CREATE TABLE openai_call (
  id          uuid PRIMARY KEY,
  account_id  uuid NOT NULL REFERENCES account (id),
  -- Of the API key, the operation, its fields and the bytes of its files.
  fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
  -- The highest retry count that the client sent.
  attempt     integer NOT NULL CHECK (attempt >= 0),
  -- Whether the first attempt arrived; false if a retry overtook it.
  has_first   boolean NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- When its last request arrived.
  seen_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX openai_call_fingerprint ON openai_call (account_id, fingerprint);
CREATE INDEX openai_call_seen ON openai_call (seen_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON openai_call TO atelier_app;
