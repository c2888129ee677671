-- Generations, their holds, files and events.

CREATE TABLE generation (
  id                uuid PRIMARY KEY,
  account_id        uuid NOT NULL REFERENCES account (id),
  key_id            uuid,
  channel           text NOT NULL DEFAULT 'api',
  idempotency_key   text NOT NULL,
  fingerprint       bytea NOT NULL,
  model_id          text NOT NULL,
  model_name        text NOT NULL,
  task_type         text NOT NULL,
  modality          text NOT NULL,
  workspace         text NOT NULL,
  effect_id         text,
  effect_text       text,
  params            jsonb NOT NULL,
  project_id        text,
  consent_version   text,
  status            text NOT NULL DEFAULT 'queued' CHECK (status IN ('queued', 'processing', 'succeeded', 'failed', 'canceled')),
  -- Holds one of the account's slots: it has a job, or runs.
  admitted          boolean NOT NULL,
  pool              text NOT NULL,
  progress          real CHECK (progress BETWEEN 0 AND 1),
  coins_quoted      bigint NOT NULL CHECK (coins_quoted > 0),
  coins_per_output  bigint NOT NULL CHECK (coins_per_output > 0),
  outputs_requested integer NOT NULL CHECK (outputs_requested > 0),
  coins_charged     bigint,
  max_coins         bigint,
  pricebook_version text NOT NULL,
  error_code        text,
  error_message     text,
  -- Fences the settlement: each take adds one, and only the latest may settle.
  attempt           integer NOT NULL DEFAULT 0,
  worker            text,
  provider_handle   text,
  deadline_seconds  integer NOT NULL CHECK (deadline_seconds > 0),
  deadline_at       timestamptz,
  created_at        timestamptz NOT NULL,
  started_at        timestamptz,
  completed_at      timestamptz,
  UNIQUE (account_id, idempotency_key),
  UNIQUE (account_id, id),
  FOREIGN KEY (account_id, key_id) REFERENCES api_key (account_id, id),
  CHECK (coins_quoted = coins_per_output * outputs_requested),
  CHECK (max_coins IS NULL OR coins_quoted <= max_coins),
  CHECK (coins_charged IS NULL OR coins_charged BETWEEN 0 AND coins_quoted),
  CHECK (status IN ('queued', 'processing') OR (completed_at IS NOT NULL AND coins_charged IS NOT NULL)),
  CHECK (status NOT IN ('failed', 'canceled') OR coins_charged = 0),
  CHECK ((status = 'failed') = (error_code IS NOT NULL)),
  CHECK (status <> 'processing' OR admitted)
) WITH (fillfactor = 85);

CREATE INDEX generation_newest ON generation (account_id, created_at DESC, id DESC);
CREATE INDEX generation_by_model ON generation (account_id, model_id, created_at DESC, id DESC);
-- The account's queue and what runs: small whatever the history.
CREATE INDEX generation_live ON generation (account_id, status, created_at, id) WHERE status IN ('queued', 'processing');
CREATE INDEX generation_unfinished ON generation (created_at) WHERE status IN ('queued', 'processing');
CREATE INDEX generation_ended_badly ON generation (account_id, status, created_at DESC, id DESC) WHERE status IN ('failed', 'canceled');
CREATE INDEX generation_policy_failures ON generation (account_id, completed_at) WHERE error_code = 'content_policy';

CREATE TRIGGER generation_transition BEFORE UPDATE ON generation
  FOR EACH ROW EXECUTE FUNCTION guard_transition();

CREATE TABLE hold (
  generation_id uuid PRIMARY KEY,
  account_id    uuid NOT NULL,
  key_id        uuid REFERENCES api_key (id),
  -- The month that it counts in, fixed by the database's clock at submit.
  month         date NOT NULL,
  amount        bigint NOT NULL CHECK (amount > 0),
  captured      bigint NOT NULL DEFAULT 0 CHECK (captured >= 0),
  released      bigint NOT NULL DEFAULT 0 CHECK (released >= 0),
  closed_at     timestamptz,
  FOREIGN KEY (account_id, generation_id) REFERENCES generation (account_id, id),
  CHECK ((closed_at IS NULL AND captured = 0 AND released = 0) OR (closed_at IS NOT NULL AND captured + released = amount))
);
CREATE INDEX hold_open ON hold (account_id) WHERE closed_at IS NULL;

CREATE TABLE asset (
  id               uuid PRIMARY KEY,
  account_id       uuid NOT NULL REFERENCES account (id),
  source           text NOT NULL CHECK (source IN ('upload', 'output')),
  generation_id    uuid,
  position         integer NOT NULL DEFAULT 0,
  kind             text NOT NULL CHECK (kind IN ('image', 'video', 'audio', '3d', 'text')),
  mime_type        text NOT NULL,
  bytes            bigint NOT NULL CHECK (bytes > 0),
  sha256           bytea NOT NULL CHECK (length(sha256) = 32),
  width            integer CHECK (width > 0),
  height           integer CHECK (height > 0),
  duration_seconds double precision CHECK (duration_seconds > 0),
  transparent      boolean,
  stem             text,
  object_key       text NOT NULL UNIQUE,
  -- thumbnail, poster, waveform, 3D formats, subtitles: name to {key, bytes, mimeType}
  variants         jsonb NOT NULL,
  created_at       timestamptz NOT NULL DEFAULT now(),
  expires_at       timestamptz,
  UNIQUE (account_id, id),
  FOREIGN KEY (account_id, generation_id) REFERENCES generation (account_id, id),
  CHECK ((source = 'output') = (generation_id IS NOT NULL))
);
CREATE INDEX asset_of_generation ON asset (generation_id, position) WHERE generation_id IS NOT NULL;
CREATE INDEX asset_expiry ON asset (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX asset_of_account ON asset (account_id, created_at);

-- Which uploads a generation reads. The composite keys make it impossible to point across accounts.
CREATE TABLE generation_input (
  generation_id uuid NOT NULL,
  account_id    uuid NOT NULL,
  asset_id      uuid NOT NULL,
  PRIMARY KEY (generation_id, asset_id),
  FOREIGN KEY (account_id, generation_id) REFERENCES generation (account_id, id),
  FOREIGN KEY (account_id, asset_id) REFERENCES asset (account_id, id) ON DELETE CASCADE
);
CREATE INDEX generation_input_asset ON generation_input (account_id, asset_id);

CREATE TABLE webhook_endpoint (
  id             uuid PRIMARY KEY,
  account_id     uuid NOT NULL REFERENCES account (id),
  url            text NOT NULL,
  events         text[] NOT NULL CHECK (events <@ ARRAY['generation.succeeded', 'generation.failed', 'generation.canceled'] AND cardinality(events) > 0),
  key_id         uuid,
  secret_sealed  text NOT NULL,
  status         text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'paused', 'deleted')),
  status_reason  text,
  failing_since  timestamptz,
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now(),
  UNIQUE (account_id, id),
  FOREIGN KEY (account_id, key_id) REFERENCES api_key (account_id, id)
);
CREATE INDEX webhook_endpoint_of_account ON webhook_endpoint (account_id) WHERE status <> 'deleted';

CREATE TABLE event (
  id            uuid PRIMARY KEY,
  account_id    uuid NOT NULL,
  generation_id uuid NOT NULL UNIQUE,
  type          text NOT NULL CHECK (type IN ('generation.succeeded', 'generation.failed', 'generation.canceled')),
  created_at    timestamptz NOT NULL,
  -- Place in the account's feed. Transactions commit in another order than they start, so a reader
  -- stops short of the oldest transaction still open; see list-events.
  xid           xid8 NOT NULL DEFAULT pg_current_xact_id(),
  seq           bigint GENERATED ALWAYS AS IDENTITY,
  FOREIGN KEY (account_id, generation_id) REFERENCES generation (account_id, id)
);
CREATE INDEX event_feed ON event (account_id, xid, seq);
CREATE INDEX event_age ON event (created_at);

CREATE TABLE delivery (
  id          uuid PRIMARY KEY,
  event_id    uuid NOT NULL REFERENCES event (id) ON DELETE CASCADE,
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoint (id),
  account_id  uuid NOT NULL,
  status      text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed', 'stopped')),
  -- Attempts made in the current round; a redelivery starts a new round.
  attempts    integer NOT NULL DEFAULT 0,
  round       integer NOT NULL DEFAULT 1,
  next_at     timestamptz,
  reason      text,
  created_at  timestamptz NOT NULL,
  finished_at timestamptz,
  UNIQUE (event_id, endpoint_id)
);
CREATE INDEX delivery_of_endpoint ON delivery (endpoint_id, created_at DESC);
CREATE INDEX delivery_pending ON delivery (next_at) WHERE status = 'pending';

CREATE TABLE attempt (
  delivery_id uuid NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
  round       integer NOT NULL,
  n           integer NOT NULL CHECK (n BETWEEN 1 AND 9),
  started_at  timestamptz NOT NULL,
  finished_at timestamptz NOT NULL,
  ok          boolean NOT NULL,
  status_code integer,
  error       text,
  latency_ms  integer NOT NULL,
  excerpt     text,
  PRIMARY KEY (delivery_id, round, n)
);
