-- The public schema of the first release: made with pg_dump from a database that only that release had migrated. An upgrade starts
-- from it in the tests of `migrate`. Bodies of functions are left out: `migrate` has to replace each of them. The schema of
-- pg-boss is left out too: pg-boss upgrades it itself.
-- tidy-allow-long: one schema, as it was dumped.

CREATE FUNCTION begin_erasure(p_account uuid, p_actor text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION cancel_generation(p_account uuid, p_id uuid) RETURNS TABLE(outcome text, wake text[]) LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION check_event_epoch() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION close_hold(p_generation uuid, p_charged bigint) RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION current_epoch() RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION enqueue_job(p_queue text, p_id uuid, p_data jsonb, p_start_after timestamp with time zone) RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION expire_queued(p_id uuid) RETURNS TABLE(outcome text, wake text[]) LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION fold_transfer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path TO 'public', 'pg_temp' AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION guard_transition() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION promote_waiting(p_account uuid, p_freed integer) RETURNS text[] LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;

CREATE TABLE generation (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    key_id uuid,
    channel text DEFAULT 'api'::text NOT NULL,
    idempotency_key text NOT NULL,
    fingerprint bytea NOT NULL,
    model_id text NOT NULL,
    model_name text NOT NULL,
    task_type text NOT NULL,
    modality text NOT NULL,
    workspace text NOT NULL,
    effect_id text,
    effect_text text,
    params jsonb NOT NULL,
    project_id text,
    consent_version text,
    status text DEFAULT 'queued'::text NOT NULL,
    admitted boolean NOT NULL,
    pool text NOT NULL,
    progress real,
    coins_quoted bigint NOT NULL,
    coins_per_output bigint NOT NULL,
    outputs_requested integer NOT NULL,
    coins_charged bigint,
    max_coins bigint,
    pricebook_version text NOT NULL,
    error_code text,
    error_message text,
    attempt integer DEFAULT 0 NOT NULL,
    worker text,
    provider_handle text,
    deadline_seconds integer NOT NULL,
    deadline_at timestamp with time zone,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    completed_at timestamp with time zone,
    erased_at timestamp with time zone,
    CONSTRAINT generation_check CHECK ((coins_quoted = (coins_per_output * outputs_requested))),
    CONSTRAINT generation_check1 CHECK (((max_coins IS NULL) OR (coins_quoted <= max_coins))),
    CONSTRAINT generation_check2 CHECK (((coins_charged IS NULL) OR ((coins_charged >= 0) AND (coins_charged <= coins_quoted)))),
    CONSTRAINT generation_check3 CHECK (((status = ANY (ARRAY['queued'::text, 'processing'::text])) OR ((completed_at IS NOT NULL) AND (coins_charged IS NOT NULL)))),
    CONSTRAINT generation_check4 CHECK (((status <> ALL (ARRAY['failed'::text, 'canceled'::text])) OR (coins_charged = 0))),
    CONSTRAINT generation_check5 CHECK (((status = 'failed'::text) = (error_code IS NOT NULL))),
    CONSTRAINT generation_check6 CHECK (((status <> 'processing'::text) OR admitted)),
    CONSTRAINT generation_coins_per_output_check CHECK ((coins_per_output > 0)),
    CONSTRAINT generation_coins_quoted_check CHECK ((coins_quoted > 0)),
    CONSTRAINT generation_deadline_seconds_check CHECK ((deadline_seconds > 0)),
    CONSTRAINT generation_outputs_requested_check CHECK ((outputs_requested > 0)),
    CONSTRAINT generation_progress_check CHECK (((progress >= (0)::double precision) AND (progress <= (1)::double precision))),
    CONSTRAINT generation_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text])))
)
WITH (fillfactor='85');

CREATE FUNCTION record_event(g generation) RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION server_identity() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION set_run_limit(p_account uuid, p_limit integer) RETURNS text[] LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION settle_generation(p_id uuid, p_attempt integer, p_error_code text, p_error_message text, p_assets jsonb, p_retention_days integer) RETURNS TABLE(outcome text, wake text[]) LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION submit_generation(p_id uuid, p_account uuid, p_key uuid, p_channel text, p_idempotency_key text, p_fingerprint bytea, p_model_id text, p_model_name text, p_task_type text, p_modality text, p_workspace text, p_effect_id text, p_effect_text text, p_params jsonb, p_project_id text, p_consent_version text, p_pool text, p_coins bigint, p_coins_per_output bigint, p_outputs integer, p_max_coins bigint, p_pricebook_version text, p_deadline_seconds integer, p_inputs uuid[]) RETURNS TABLE(outcome text, generation_id uuid, created_at timestamp with time zone, admitted boolean, queue_position bigint, retry_after integer) LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;
CREATE FUNCTION take_generations(p_ids uuid[], p_worker text) RETURNS SETOF generation LANGUAGE plpgsql AS $$ BEGIN RAISE 'of the first release'; END $$;

CREATE TABLE account (
    id uuid NOT NULL,
    owner_id uuid NOT NULL,
    mode text NOT NULL,
    name text NOT NULL,
    available bigint DEFAULT 0 NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    slots integer DEFAULT 0 NOT NULL,
    run_limit integer NOT NULL,
    raised_limit integer,
    rate_limit integer DEFAULT 300 NOT NULL,
    locked_at timestamp with time zone,
    locked_reason text,
    cooldown_until timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT account_held_check CHECK ((held >= 0)),
    CONSTRAINT account_mode_check CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text]))),
    CONSTRAINT account_raised_limit_check CHECK ((raised_limit > 0)),
    CONSTRAINT account_rate_limit_check CHECK ((rate_limit > 0)),
    CONSTRAINT account_run_limit_check CHECK ((run_limit > 0)),
    CONSTRAINT account_slots_check CHECK ((slots >= 0))
);

CREATE TABLE api_key (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    prefix text NOT NULL,
    last4 text NOT NULL,
    scopes text[] NOT NULL,
    monthly_cap bigint,
    rate_limit integer DEFAULT 120 NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT api_key_hash_check CHECK ((length(hash) = 32)),
    CONSTRAINT api_key_monthly_cap_check CHECK ((monthly_cap > 0)),
    CONSTRAINT api_key_rate_limit_check CHECK ((rate_limit > 0)),
    CONSTRAINT api_key_scopes_check CHECK ((scopes <@ ARRAY['generate'::text, 'read'::text, 'uploads'::text, 'account'::text]))
);

CREATE TABLE asset (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    source text NOT NULL,
    generation_id uuid,
    "position" integer DEFAULT 0 NOT NULL,
    kind text NOT NULL,
    mime_type text NOT NULL,
    bytes bigint NOT NULL,
    sha256 bytea NOT NULL,
    width integer,
    height integer,
    duration_seconds double precision,
    transparent boolean,
    stem text,
    object_key text NOT NULL,
    variants jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone,
    CONSTRAINT asset_bytes_check CHECK ((bytes > 0)),
    CONSTRAINT asset_check CHECK (((source = 'output'::text) = (generation_id IS NOT NULL))),
    CONSTRAINT asset_duration_seconds_check CHECK ((duration_seconds > (0)::double precision)),
    CONSTRAINT asset_height_check CHECK ((height > 0)),
    CONSTRAINT asset_kind_check CHECK ((kind = ANY (ARRAY['image'::text, 'video'::text, 'audio'::text, '3d'::text, 'text'::text]))),
    CONSTRAINT asset_sha256_check CHECK ((length(sha256) = 32)),
    CONSTRAINT asset_source_check CHECK ((source = ANY (ARRAY['upload'::text, 'output'::text]))),
    CONSTRAINT asset_width_check CHECK ((width > 0))
);

CREATE TABLE attempt (
    delivery_id uuid NOT NULL,
    round integer NOT NULL,
    n integer NOT NULL,
    started_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone NOT NULL,
    ok boolean NOT NULL,
    status_code integer,
    error text,
    latency_ms integer NOT NULL,
    excerpt text,
    CONSTRAINT attempt_n_check CHECK (((n >= 1) AND (n <= 9)))
);

CREATE TABLE audit_log (
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    account_id uuid,
    detail jsonb DEFAULT '{}'::jsonb NOT NULL
);

ALTER TABLE audit_log ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME audit_log_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );

CREATE TABLE delivery (
    id uuid NOT NULL,
    event_id uuid,
    endpoint_id uuid NOT NULL,
    account_id uuid NOT NULL,
    status text DEFAULT 'pending'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    round integer DEFAULT 1 NOT NULL,
    next_at timestamp with time zone,
    reason text,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone,
    job_id uuid,
    test_event jsonb,
    CONSTRAINT delivery_event_or_test CHECK (((event_id IS NULL) = (test_event IS NOT NULL))),
    CONSTRAINT delivery_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'stopped'::text])))
);

CREATE TABLE event (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    generation_id uuid NOT NULL,
    type text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    seq bigint NOT NULL,
    epoch integer DEFAULT current_epoch() NOT NULL,
    CONSTRAINT event_type_check CHECK ((type = ANY (ARRAY['generation.succeeded'::text, 'generation.failed'::text, 'generation.canceled'::text])))
);

CREATE TABLE event_epoch (
    epoch integer NOT NULL,
    server text NOT NULL,
    single boolean DEFAULT true NOT NULL,
    CONSTRAINT event_epoch_single_check CHECK (single)
);

ALTER TABLE event ALTER COLUMN seq ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME event_seq_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );

CREATE TABLE generation_input (
    generation_id uuid NOT NULL,
    account_id uuid NOT NULL,
    asset_id uuid NOT NULL
);

CREATE TABLE hold (
    generation_id uuid NOT NULL,
    account_id uuid NOT NULL,
    key_id uuid,
    month date NOT NULL,
    amount bigint NOT NULL,
    captured bigint DEFAULT 0 NOT NULL,
    released bigint DEFAULT 0 NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT hold_amount_check CHECK ((amount > 0)),
    CONSTRAINT hold_captured_check CHECK ((captured >= 0)),
    CONSTRAINT hold_check CHECK ((((closed_at IS NULL) AND (captured = 0) AND (released = 0)) OR ((closed_at IS NOT NULL) AND ((captured + released) = amount)))),
    CONSTRAINT hold_released_check CHECK ((released >= 0))
);

CREATE TABLE key_month (
    key_id uuid NOT NULL,
    month date NOT NULL,
    reserved bigint DEFAULT 0 NOT NULL,
    spent bigint DEFAULT 0 NOT NULL,
    CONSTRAINT key_month_month_check CHECK ((EXTRACT(day FROM month) = (1)::numeric)),
    CONSTRAINT key_month_reserved_check CHECK ((reserved >= 0)),
    CONSTRAINT key_month_spent_check CHECK ((spent >= 0))
);

CREATE TABLE migration (
    name text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE offer (
    worker text NOT NULL,
    target text NOT NULL,
    seen_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE resumable_upload (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    bytes bigint NOT NULL,
    received bigint DEFAULT 0 NOT NULL,
    parts text[] DEFAULT '{}'::text[] NOT NULL,
    asset_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT resumable_upload_bytes_check CHECK ((bytes > 0)),
    CONSTRAINT resumable_upload_check CHECK (((received >= 0) AND (received <= bytes)))
);

CREATE TABLE setting (
    name text NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE sweep_place (
    prefix text NOT NULL,
    after_key text NOT NULL
);

CREATE TABLE transfer (
    id bigint NOT NULL,
    account_id uuid NOT NULL,
    kind text NOT NULL,
    debit text NOT NULL,
    credit text NOT NULL,
    amount bigint NOT NULL,
    generation_id uuid,
    actor text,
    reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT transfer_amount_check CHECK ((amount > 0)),
    CONSTRAINT transfer_check CHECK ((((kind = 'grant'::text) AND (debit = 'issued'::text) AND (credit = 'available'::text)) OR ((kind = 'adjust'::text) AND (debit = 'adjustment'::text) AND (credit = 'available'::text)) OR ((kind = 'adjust'::text) AND (debit = 'available'::text) AND (credit = 'adjustment'::text)) OR ((kind = 'hold'::text) AND (debit = 'available'::text) AND (credit = 'held'::text)) OR ((kind = 'capture'::text) AND (debit = 'held'::text) AND (credit = 'revenue'::text)) OR ((kind = 'release'::text) AND (debit = 'held'::text) AND (credit = 'available'::text)))),
    CONSTRAINT transfer_check1 CHECK (((kind = ANY (ARRAY['hold'::text, 'capture'::text, 'release'::text])) = (generation_id IS NOT NULL))),
    CONSTRAINT transfer_check2 CHECK (((kind <> ALL (ARRAY['grant'::text, 'adjust'::text])) OR ((actor IS NOT NULL) AND (reason IS NOT NULL)))),
    CONSTRAINT transfer_kind_check CHECK ((kind = ANY (ARRAY['grant'::text, 'adjust'::text, 'hold'::text, 'capture'::text, 'release'::text])))
);

ALTER TABLE transfer ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY ( SEQUENCE NAME transfer_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1 );

CREATE TABLE webhook_endpoint (
    id uuid NOT NULL,
    account_id uuid NOT NULL,
    url text NOT NULL,
    events text[] NOT NULL,
    key_id uuid,
    secret_sealed text NOT NULL,
    status text DEFAULT 'active'::text NOT NULL,
    status_reason text,
    failing_since timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT webhook_endpoint_events_check CHECK (((events <@ ARRAY['generation.succeeded'::text, 'generation.failed'::text, 'generation.canceled'::text]) AND (cardinality(events) > 0))),
    CONSTRAINT webhook_endpoint_status_check CHECK ((status = ANY (ARRAY['active'::text, 'paused'::text, 'deleted'::text])))
);

ALTER TABLE account ADD CONSTRAINT account_owner_id_mode_key UNIQUE (owner_id, mode);
ALTER TABLE account ADD CONSTRAINT account_pkey PRIMARY KEY (id);
ALTER TABLE api_key ADD CONSTRAINT api_key_account_id_id_key UNIQUE (account_id, id);
ALTER TABLE api_key ADD CONSTRAINT api_key_hash_key UNIQUE (hash);
ALTER TABLE api_key ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE asset ADD CONSTRAINT asset_account_id_id_key UNIQUE (account_id, id);
ALTER TABLE asset ADD CONSTRAINT asset_object_key_key UNIQUE (object_key);
ALTER TABLE asset ADD CONSTRAINT asset_pkey PRIMARY KEY (id);
ALTER TABLE attempt ADD CONSTRAINT attempt_pkey PRIMARY KEY (delivery_id, round, n);
ALTER TABLE audit_log ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
ALTER TABLE delivery ADD CONSTRAINT delivery_event_id_endpoint_id_key UNIQUE (event_id, endpoint_id);
ALTER TABLE delivery ADD CONSTRAINT delivery_pkey PRIMARY KEY (id);
ALTER TABLE event_epoch ADD CONSTRAINT event_epoch_pkey PRIMARY KEY (single);
ALTER TABLE event ADD CONSTRAINT event_generation_id_key UNIQUE (generation_id);
ALTER TABLE event ADD CONSTRAINT event_pkey PRIMARY KEY (id);
ALTER TABLE generation ADD CONSTRAINT generation_account_id_id_key UNIQUE (account_id, id);
ALTER TABLE generation ADD CONSTRAINT generation_account_id_idempotency_key_key UNIQUE (account_id, idempotency_key);
ALTER TABLE generation_input ADD CONSTRAINT generation_input_pkey PRIMARY KEY (generation_id, asset_id);
ALTER TABLE generation ADD CONSTRAINT generation_pkey PRIMARY KEY (id);
ALTER TABLE hold ADD CONSTRAINT hold_pkey PRIMARY KEY (generation_id);
ALTER TABLE key_month ADD CONSTRAINT key_month_pkey PRIMARY KEY (key_id, month);
ALTER TABLE migration ADD CONSTRAINT migration_pkey PRIMARY KEY (name);
ALTER TABLE offer ADD CONSTRAINT offer_pkey PRIMARY KEY (worker, target);
ALTER TABLE resumable_upload ADD CONSTRAINT resumable_upload_pkey PRIMARY KEY (id);
ALTER TABLE setting ADD CONSTRAINT setting_pkey PRIMARY KEY (name);
ALTER TABLE sweep_place ADD CONSTRAINT sweep_place_pkey PRIMARY KEY (prefix);
ALTER TABLE transfer ADD CONSTRAINT transfer_pkey PRIMARY KEY (id);
ALTER TABLE webhook_endpoint ADD CONSTRAINT webhook_endpoint_account_id_id_key UNIQUE (account_id, id);
ALTER TABLE webhook_endpoint ADD CONSTRAINT webhook_endpoint_pkey PRIMARY KEY (id);

CREATE INDEX asset_expiry ON asset USING btree (expires_at) WHERE (expires_at IS NOT NULL);
CREATE INDEX asset_of_account ON asset USING btree (account_id, created_at);
CREATE INDEX asset_of_generation ON asset USING btree (generation_id, "position") WHERE (generation_id IS NOT NULL);
CREATE INDEX delivery_ended_badly ON delivery USING btree (endpoint_id, created_at) WHERE (status = ANY (ARRAY['failed'::text, 'stopped'::text]));
CREATE INDEX delivery_of_endpoint ON delivery USING btree (endpoint_id, created_at DESC);
CREATE INDEX delivery_of_test ON delivery USING btree (created_at) WHERE (event_id IS NULL);
CREATE INDEX delivery_pending ON delivery USING btree (next_at) WHERE (status = 'pending'::text);
CREATE INDEX delivery_pending_of_endpoint ON delivery USING btree (endpoint_id) WHERE (status = 'pending'::text);
CREATE INDEX event_age ON event USING btree (created_at);
CREATE INDEX event_feed ON event USING btree (account_id, epoch, xid, seq);
CREATE INDEX generation_by_model ON generation USING btree (account_id, model_id, created_at DESC, id DESC);
CREATE INDEX generation_ended_badly ON generation USING btree (account_id, status, created_at DESC, id DESC) WHERE (status = ANY (ARRAY['failed'::text, 'canceled'::text]));
CREATE INDEX generation_input_asset ON generation_input USING btree (account_id, asset_id);
CREATE INDEX generation_live ON generation USING btree (account_id, status, created_at, id) WHERE (status = ANY (ARRAY['queued'::text, 'processing'::text]));
CREATE INDEX generation_newest ON generation USING btree (account_id, created_at DESC, id DESC);
CREATE INDEX generation_policy_failures ON generation USING btree (account_id, completed_at) WHERE (error_code = 'content_policy'::text);
CREATE INDEX generation_unfinished ON generation USING btree (created_at) WHERE (status = ANY (ARRAY['queued'::text, 'processing'::text]));
CREATE INDEX hold_open ON hold USING btree (account_id) WHERE (closed_at IS NULL);
CREATE INDEX resumable_upload_expiry ON resumable_upload USING btree (expires_at);
CREATE INDEX resumable_upload_of_account ON resumable_upload USING btree (account_id);
CREATE INDEX transfer_account ON transfer USING btree (account_id, id);
CREATE UNIQUE INDEX transfer_once ON transfer USING btree (generation_id, kind) WHERE (generation_id IS NOT NULL);
CREATE INDEX webhook_endpoint_failing ON webhook_endpoint USING btree (failing_since) WHERE ((failing_since IS NOT NULL) AND (status = 'active'::text));
CREATE INDEX webhook_endpoint_of_account ON webhook_endpoint USING btree (account_id) WHERE (status <> 'deleted'::text);

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_log_no_truncate BEFORE TRUNCATE ON audit_log FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER generation_transition BEFORE UPDATE ON generation FOR EACH ROW EXECUTE FUNCTION guard_transition();
CREATE TRIGGER transfer_append_only BEFORE DELETE OR UPDATE ON transfer FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER transfer_fold AFTER INSERT ON transfer FOR EACH ROW EXECUTE FUNCTION fold_transfer();
CREATE TRIGGER transfer_no_truncate BEFORE TRUNCATE ON transfer FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

ALTER TABLE api_key ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);
ALTER TABLE asset ADD CONSTRAINT asset_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);
ALTER TABLE asset ADD CONSTRAINT asset_account_id_generation_id_fkey FOREIGN KEY (account_id, generation_id) REFERENCES generation(account_id, id);
ALTER TABLE attempt ADD CONSTRAINT attempt_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES delivery(id) ON DELETE CASCADE;
ALTER TABLE delivery ADD CONSTRAINT delivery_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoint(id);
ALTER TABLE delivery ADD CONSTRAINT delivery_event_id_fkey FOREIGN KEY (event_id) REFERENCES event(id) ON DELETE CASCADE;
ALTER TABLE event ADD CONSTRAINT event_account_id_generation_id_fkey FOREIGN KEY (account_id, generation_id) REFERENCES generation(account_id, id);
ALTER TABLE generation ADD CONSTRAINT generation_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);
ALTER TABLE generation ADD CONSTRAINT generation_account_id_key_id_fkey FOREIGN KEY (account_id, key_id) REFERENCES api_key(account_id, id);
ALTER TABLE generation_input ADD CONSTRAINT generation_input_account_id_asset_id_fkey FOREIGN KEY (account_id, asset_id) REFERENCES asset(account_id, id) ON DELETE CASCADE;
ALTER TABLE generation_input ADD CONSTRAINT generation_input_account_id_generation_id_fkey FOREIGN KEY (account_id, generation_id) REFERENCES generation(account_id, id);
ALTER TABLE hold ADD CONSTRAINT hold_account_id_generation_id_fkey FOREIGN KEY (account_id, generation_id) REFERENCES generation(account_id, id);
ALTER TABLE hold ADD CONSTRAINT hold_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id);
ALTER TABLE key_month ADD CONSTRAINT key_month_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(id);
ALTER TABLE resumable_upload ADD CONSTRAINT resumable_upload_account_id_asset_id_fkey FOREIGN KEY (account_id, asset_id) REFERENCES asset(account_id, id) ON DELETE CASCADE;
ALTER TABLE resumable_upload ADD CONSTRAINT resumable_upload_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);
ALTER TABLE transfer ADD CONSTRAINT transfer_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);
ALTER TABLE webhook_endpoint ADD CONSTRAINT webhook_endpoint_account_id_fkey FOREIGN KEY (account_id) REFERENCES account(id);
ALTER TABLE webhook_endpoint ADD CONSTRAINT webhook_endpoint_account_id_key_id_fkey FOREIGN KEY (account_id, key_id) REFERENCES api_key(account_id, id);

GRANT USAGE ON SCHEMA public TO atelier_app;

GRANT ALL ON FUNCTION begin_erasure(p_account uuid, p_actor text) TO atelier_app;
GRANT ALL ON FUNCTION cancel_generation(p_account uuid, p_id uuid) TO atelier_app;
GRANT ALL ON FUNCTION close_hold(p_generation uuid, p_charged bigint) TO atelier_app;
GRANT ALL ON FUNCTION enqueue_job(p_queue text, p_id uuid, p_data jsonb, p_start_after timestamp with time zone) TO atelier_app;
GRANT ALL ON FUNCTION expire_queued(p_id uuid) TO atelier_app;
GRANT ALL ON FUNCTION fold_transfer() TO atelier_app;
GRANT ALL ON FUNCTION guard_transition() TO atelier_app;
GRANT ALL ON FUNCTION promote_waiting(p_account uuid, p_freed integer) TO atelier_app;
GRANT ALL ON FUNCTION record_event(g generation) TO atelier_app;
GRANT ALL ON FUNCTION refuse_change() TO atelier_app;
GRANT ALL ON FUNCTION set_run_limit(p_account uuid, p_limit integer) TO atelier_app;
GRANT ALL ON FUNCTION settle_generation(p_id uuid, p_attempt integer, p_error_code text, p_error_message text, p_assets jsonb, p_retention_days integer) TO atelier_app;
GRANT ALL ON FUNCTION submit_generation(p_id uuid, p_account uuid, p_key uuid, p_channel text, p_idempotency_key text, p_fingerprint bytea, p_model_id text, p_model_name text, p_task_type text, p_modality text, p_workspace text, p_effect_id text, p_effect_text text, p_params jsonb, p_project_id text, p_consent_version text, p_pool text, p_coins bigint, p_coins_per_output bigint, p_outputs integer, p_max_coins bigint, p_pricebook_version text, p_deadline_seconds integer, p_inputs uuid[]) TO atelier_app;
GRANT ALL ON FUNCTION take_generations(p_ids uuid[], p_worker text) TO atelier_app;

GRANT USAGE ON SEQUENCE audit_log_id_seq TO atelier_app;
GRANT USAGE ON SEQUENCE event_seq_seq TO atelier_app;
GRANT USAGE ON SEQUENCE transfer_id_seq TO atelier_app;

GRANT SELECT, INSERT, UPDATE ON generation TO atelier_app;
GRANT SELECT, INSERT (id, owner_id, mode, name, run_limit, raised_limit, rate_limit, created_at), UPDATE (name, slots, run_limit, raised_limit, rate_limit, locked_at, locked_reason, cooldown_until) ON account TO atelier_app;
GRANT SELECT, INSERT, UPDATE (name, scopes, monthly_cap, rate_limit, expires_at, revoked_at, last_used_at) ON api_key TO atelier_app;
GRANT SELECT, INSERT, DELETE, UPDATE ON asset TO atelier_app;
GRANT SELECT, INSERT, DELETE ON attempt TO atelier_app;
GRANT SELECT, INSERT ON audit_log TO atelier_app;
GRANT SELECT, INSERT, DELETE, UPDATE ON delivery TO atelier_app;
GRANT SELECT, INSERT, DELETE ON event TO atelier_app;
GRANT SELECT ON event_epoch TO atelier_app;
GRANT SELECT, INSERT, DELETE ON generation_input TO atelier_app;
GRANT SELECT, INSERT, UPDATE (captured, released, closed_at) ON hold TO atelier_app;
GRANT SELECT, INSERT, UPDATE ON key_month TO atelier_app;
GRANT SELECT ON migration TO atelier_app;
GRANT SELECT, INSERT, DELETE, UPDATE ON offer TO atelier_app;
GRANT SELECT, INSERT, DELETE, UPDATE ON resumable_upload TO atelier_app;
GRANT SELECT, INSERT, DELETE, UPDATE ON setting TO atelier_app;
GRANT SELECT, INSERT, DELETE, UPDATE ON sweep_place TO atelier_app;
GRANT SELECT, INSERT ON transfer TO atelier_app;
GRANT SELECT, INSERT, UPDATE ON webhook_endpoint TO atelier_app;

INSERT INTO migration (name) VALUES ('0001_accounts.sql'), ('0002_ledger.sql'), ('0003_generations.sql'), ('0004_money_path.sql'),
  ('0005_rights.sql'), ('0006_webhooks.sql'), ('0007_files.sql'), ('0008_offers.sql');
INSERT INTO event_epoch (epoch, server) VALUES (1, 'of the first release');
