-- The steps of a generation that move coins, each in one round trip. Lock order everywhere: account, generation, key_month.
-- A separate statement locks the account before rows are selected: lock and selection in one statement
-- would select from the snapshot taken before the wait. Arguments added later have a default, so that processes of the
-- previous version keep working during an upgrade. Statements about live generations name `completed_at IS NULL`, the predicate of
-- their indexes.

CREATE OR REPLACE FUNCTION submit_generation(
  p_id uuid, p_account uuid, p_key uuid, p_channel text, p_idempotency_key text, p_fingerprint bytea,
  p_model_id text, p_model_name text, p_task_type text, p_modality text, p_workspace text,
  p_effect_id text, p_effect_text text, p_params jsonb, p_project_id text, p_consent_version text,
  p_pool text, p_coins bigint, p_coins_per_output bigint, p_outputs integer, p_max_coins bigint,
  p_pricebook_version text, p_deadline_seconds integer, p_inputs uuid[], p_effective jsonb DEFAULT NULL,
  p_session_budget_id text DEFAULT NULL, p_session_budget_coins bigint DEFAULT NULL, p_traceparent text DEFAULT NULL
) RETURNS TABLE (outcome text, generation_id uuid, created_at timestamptz, admitted boolean, queue_position bigint, retry_after integer,
  budget_left bigint, request_cap bigint, at_limit boolean)
LANGUAGE plpgsql ROWS 1 AS $$
DECLARE
  v_account account;
  v_key     api_key;
  v_old     record;
  v_now     timestamptz;
  v_month   date;
  v_admit   boolean;
  v_shares  bigint;
  v_number  bigint;
  v_running bigint;
  v_queued  bigint;
BEGIN
  SELECT g.id, g.fingerprint INTO v_old FROM generation g WHERE g.account_id = p_account AND g.idempotency_key = p_idempotency_key;
  IF FOUND THEN
    outcome := CASE WHEN v_old.fingerprint = p_fingerprint THEN 'replayed' ELSE 'idempotency_conflict' END;
    generation_id := v_old.id; RETURN NEXT; RETURN;
  END IF;

  SELECT a.* INTO v_account FROM account a WHERE a.id = p_account FOR NO KEY UPDATE;

  -- The previous holder of the lock may have submitted the same idempotency key.
  SELECT g.id, g.fingerprint INTO v_old FROM generation g WHERE g.account_id = p_account AND g.idempotency_key = p_idempotency_key;
  IF FOUND THEN
    outcome := CASE WHEN v_old.fingerprint = p_fingerprint THEN 'replayed' ELSE 'idempotency_conflict' END;
    generation_id := v_old.id; RETURN NEXT; RETURN;
  END IF;

  -- Read the API key again under the lock: revocations and caps apply to money immediately.
  IF p_key IS NOT NULL THEN
    SELECT k.* INTO v_key FROM api_key k WHERE k.account_id = p_account AND k.id = p_key;
    IF v_key.revoked_at IS NOT NULL THEN outcome := 'api_key_revoked'; RETURN NEXT; RETURN; END IF;
    IF v_key.expires_at <= now() THEN outcome := 'api_key_expired'; RETURN NEXT; RETURN; END IF;
  END IF;
  IF v_account.moving_to IS NOT NULL THEN
    RAISE EXCEPTION 'the account moves to cell %', v_account.moving_to USING ERRCODE = 'check_violation', CONSTRAINT = 'account_moved';
  END IF;
  IF v_account.locked_at IS NOT NULL THEN outcome := 'account_locked'; RETURN NEXT; RETURN; END IF;
  v_now := clock_timestamp();
  IF v_account.cooldown_until > v_now THEN
    outcome := 'cooldown'; retry_after := ceil(extract(epoch FROM v_account.cooldown_until - v_now)); RETURN NEXT; RETURN;
  END IF;
  IF p_coins > v_key.request_cap THEN
    outcome := 'request_cap_exceeded'; request_cap := v_key.request_cap; RETURN NEXT; RETURN;
  END IF;
  IF v_account.available < p_coins THEN outcome := 'insufficient_coins'; RETURN NEXT; RETURN; END IF;

  -- Before the month of the key, which this must not reserve. A limited number of generations keeps the sum short.
  IF p_session_budget_id IS NOT NULL THEN
    SELECT count(*), greatest(0, p_session_budget_coins - coalesce(sum(coalesce(b.coins_charged, b.coins_quoted)), 0))::bigint
      INTO v_shares, budget_left FROM generation b WHERE b.account_id = p_account AND b.session_budget_id = p_session_budget_id;
    IF v_shares >= 1000 THEN budget_left := NULL; END IF;
    IF budget_left IS NULL OR p_coins > budget_left THEN outcome := 'budget_exceeded'; RETURN NEXT; RETURN; END IF;
  END IF;

  v_month := date_trunc('month', v_now AT TIME ZONE 'UTC')::date;
  IF p_key IS NOT NULL THEN
    INSERT INTO key_month AS m (key_id, month, reserved)
      SELECT p_key, v_month, p_coins WHERE v_key.monthly_cap IS NULL OR p_coins <= v_key.monthly_cap
      ON CONFLICT (key_id, month) DO UPDATE SET reserved = m.reserved + p_coins
        WHERE v_key.monthly_cap IS NULL OR m.spent + m.reserved + p_coins <= v_key.monthly_cap;
    IF NOT FOUND THEN outcome := 'spend_cap_exceeded'; RETURN NEXT; RETURN; END IF;
  END IF;

  -- As many generations of a model are admitted as could start now. Those of other models do not count: their workers may be busy or gone.
  v_admit := v_account.slots < v_account.run_limit;
  at_limit := false;
  IF NOT v_admit THEN
    SELECT count(*) FILTER (WHERE g.status = 'processing'), count(*) FILTER (WHERE g.status = 'queued' AND g.model_id = p_model_id)
      INTO v_running, v_queued FROM generation g WHERE g.account_id = p_account AND g.admitted AND g.completed_at IS NULL;
    at_limit := v_running >= v_account.run_limit;
    v_admit := v_running + v_queued < v_account.run_limit;
    IF NOT v_admit THEN v_number := v_account.queue_tail + 1; END IF;
  END IF;
  INSERT INTO generation (
    id, account_id, key_id, channel, idempotency_key, fingerprint, model_id, model_name, task_type, modality, workspace,
    effect_id, effect_text, params, project_id, consent_version, admitted, pool, coins_quoted, coins_per_output,
    outputs_requested, max_coins, pricebook_version, deadline_seconds, created_at, queue_number, effective, session_budget_id,
    traceparent
  ) VALUES (
    p_id, p_account, p_key, p_channel, p_idempotency_key, p_fingerprint, p_model_id, p_model_name, p_task_type, p_modality, p_workspace,
    p_effect_id, p_effect_text, p_params, p_project_id, p_consent_version, v_admit, p_pool, p_coins, p_coins_per_output,
    p_outputs, p_max_coins, p_pricebook_version, p_deadline_seconds, v_now, v_number, p_effective, p_session_budget_id,
    p_traceparent
  );
  IF cardinality(p_inputs) > 0 THEN
    INSERT INTO generation_input (generation_id, account_id, asset_id)
      SELECT p_id, p_account, i FROM (SELECT DISTINCT unnest(p_inputs) AS i) AS x;
  END IF;
  INSERT INTO hold (generation_id, account_id, key_id, month, amount) VALUES (p_id, p_account, p_key, v_month, p_coins);
  INSERT INTO transfer (account_id, kind, debit, credit, amount, generation_id) VALUES (p_account, 'hold', 'available', 'held', p_coins, p_id);
  IF v_admit THEN
    UPDATE account SET slots = slots + 1 WHERE id = p_account;
    PERFORM enqueue_job(p_queue => p_pool, p_id => p_id, p_data => jsonb_build_object('generationId', p_id),
      p_start_after => now());
  ELSE
    UPDATE account SET queue_tail = v_number WHERE id = p_account;
  END IF;

  outcome := 'created'; generation_id := p_id; created_at := v_now; admitted := v_admit;
  IF v_admit THEN
    -- At most the running limit of each model.
    SELECT count(*) INTO queue_position FROM generation g
      WHERE g.account_id = p_account AND g.status = 'queued' AND g.admitted AND g.completed_at IS NULL;
  ELSE
    queue_position := v_number + queue_offset(p_account => p_account) - count_gaps(p_account => p_account, p_upto => v_number);
  END IF;
  RETURN NEXT;
END $$;

-- Queue positions are computed, not counted. Numbers are assigned under the account's lock and leave from the front, so the
-- position of a number is its distance from the first one, minus the gaps in between, which cancellations and admissions of other
-- models left.

CREATE OR REPLACE FUNCTION first_waiting(p_account uuid) RETURNS bigint STABLE LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT g.queue_number FROM generation g
    WHERE g.account_id = p_account AND g.status = 'queued' AND NOT g.admitted AND g.completed_at IS NULL ORDER BY g.queue_number LIMIT 1);
END $$;

CREATE OR REPLACE FUNCTION count_gaps(p_account uuid, p_upto bigint) RETURNS bigint STABLE LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT coalesce(sum(bit_count(
      CASE WHEN q.bucket = p_upto / 8192 THEN substring(q.missing FROM 1 FOR (p_upto % 8192)::integer + 1) ELSE q.missing END)), 0)
    FROM queue_gap q WHERE q.account_id = p_account AND q.bucket <= p_upto / 8192);
END $$;

-- The number of generations that are not admitted, up to the given queue number.
CREATE OR REPLACE FUNCTION count_waiting(p_account uuid, p_upto bigint) RETURNS bigint STABLE LANGUAGE plpgsql AS $$
DECLARE
  v_first bigint := first_waiting(p_account => p_account);
BEGIN
  RETURN coalesce(p_upto - v_first + 1 - count_gaps(p_account => p_account, p_upto => p_upto) + count_gaps(p_account => p_account, p_upto => v_first - 1), 0);
END $$;

-- The position that queue number 0 would have without gaps: admitted generations come first.
CREATE OR REPLACE FUNCTION queue_offset(p_account uuid) RETURNS bigint STABLE LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT a.slots - (
      SELECT count(*) FROM generation r WHERE r.account_id = p_account AND r.status = 'processing' AND r.admitted AND r.completed_at IS NULL)
    FROM account a WHERE a.id = p_account) + count_waiting(p_account => p_account, p_upto => 0);
END $$;

-- Records that a number left the middle of the queue, and deletes gaps before the front.
CREATE OR REPLACE FUNCTION leave_queue(p_account uuid, p_number bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_first bigint;
BEGIN
  INSERT INTO queue_gap AS q (account_id, bucket, missing)
    VALUES (p_account, p_number / 8192, set_bit(0::bit(8192), (p_number % 8192)::integer, 1))
    ON CONFLICT (account_id, bucket) DO UPDATE SET missing = set_bit(q.missing, (p_number % 8192)::integer, 1);
  v_first := first_waiting(p_account => p_account);
  DELETE FROM queue_gap q WHERE q.account_id = p_account AND (v_first IS NULL OR q.bucket < v_first / 8192);
END $$;

CREATE OR REPLACE FUNCTION cancel_generation(p_account uuid, p_id uuid)
RETURNS TABLE (outcome text, wake text[]) LANGUAGE plpgsql ROWS 1 AS $$
DECLARE
  g generation;
  v_deliveries integer;
BEGIN
  PERFORM 1 FROM account WHERE id = p_account FOR NO KEY UPDATE;
  UPDATE generation SET status = 'canceled', completed_at = clock_timestamp(), coins_charged = 0
    WHERE id = p_id AND account_id = p_account AND status = 'queued' RETURNING * INTO g;
  IF NOT FOUND THEN
    PERFORM 1 FROM generation WHERE id = p_id AND account_id = p_account;
    outcome := CASE WHEN FOUND THEN 'not_cancelable' ELSE 'not_found' END; RETURN NEXT; RETURN;
  END IF;
  PERFORM close_hold(p_generation => g.id, p_charged => 0);
  v_deliveries := record_event(p_generation => g);
  wake := ARRAY[]::text[];
  IF g.admitted THEN
    wake := promote_waiting(p_account => p_account, p_freed => 1);
  ELSE
    PERFORM leave_queue(p_account => p_account, p_number => g.queue_number);
  END IF;
  IF v_deliveries > 0 THEN wake := wake || 'deliver-webhook'::text; END IF;
  outcome := 'canceled'; RETURN NEXT;
END $$;

-- A worker claims the generations of its jobs that it can serve, as far as the running limits of their accounts allow; those beyond a
-- limit are parked. Claiming one from another worker increments its attempt, so that the other worker can no longer settle it. Every
-- worker has the simulator, and any worker may end a generation past its deadline. Locks accounts by id, as settle_generations does.
CREATE OR REPLACE FUNCTION take_generations(p_ids uuid[], p_worker text, p_models text[] DEFAULT NULL) RETURNS SETOF generation
LANGUAGE plpgsql ROWS 20 SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_accounts uuid[];
  v_beyond   uuid[];
BEGIN
  SELECT array_agg(DISTINCT g.account_id) INTO v_accounts FROM generation g WHERE g.id = ANY (p_ids);
  PERFORM 1 FROM account a WHERE a.id = ANY (v_accounts) ORDER BY a.id FOR NO KEY UPDATE;

  -- An account with no more admitted generations than its limit can run them all.
  IF EXISTS (SELECT 1 FROM account a WHERE a.id = ANY (v_accounts) AND a.slots > a.run_limit) THEN
    WITH asked AS (
      SELECT g.id, g.account_id, row_number() OVER (PARTITION BY g.account_id ORDER BY g.created_at, g.id) AS place
      FROM generation g WHERE g.id = ANY (p_ids) AND g.status = 'queued' AND g.admitted
        AND (p_models IS NULL OR g.pool = 'run-simulator' OR g.model_id = ANY (p_models))
    ), parked AS (
      UPDATE generation g SET parked = true
      FROM asked JOIN account a ON a.id = asked.account_id AND a.slots > a.run_limit CROSS JOIN LATERAL (
        SELECT count(*) AS running FROM generation r WHERE r.account_id = a.id AND r.status = 'processing' AND r.admitted AND r.completed_at IS NULL
      ) t
      WHERE g.id = asked.id AND asked.place > a.run_limit - t.running RETURNING g.id
    )
    SELECT array_agg(p.id) INTO v_beyond FROM parked p;
  END IF;

  RETURN QUERY UPDATE generation SET status = 'processing', attempt = attempt + 1, worker = p_worker, parked = false,
    started_at = coalesce(started_at, clock_timestamp()),
    deadline_at = coalesce(deadline_at, clock_timestamp() + deadline_seconds * interval '1 second')
  WHERE id = ANY (p_ids) AND status IN ('queued', 'processing') AND admitted AND id <> ALL (coalesce(v_beyond, '{}'))
    AND (p_models IS NULL OR pool = 'run-simulator' OR model_id = ANY (p_models) OR deadline_at < clock_timestamp())
  RETURNING *;
END $$;

-- Settles a run if the attempt is still current. p_assets lists the outputs, already stored in the bucket.
CREATE OR REPLACE FUNCTION settle_generation(p_id uuid, p_attempt integer, p_error_code text, p_error_message text, p_assets jsonb, p_retention_days integer)
RETURNS TABLE (outcome text, wake text[]) LANGUAGE plpgsql ROWS 1 AS $$
DECLARE
  g            generation;
  v_account    uuid;
  v_delivered  integer := jsonb_array_length(p_assets);
  v_deliveries integer;
BEGIN
  -- A run without outputs is a failure, even if the caller reports success.
  IF p_error_code IS NULL AND v_delivered = 0 THEN
    p_error_code := 'internal';
    p_error_message := 'The provider returned no output.';
  END IF;
  SELECT account_id INTO v_account FROM generation WHERE id = p_id;
  PERFORM 1 FROM account WHERE id = v_account FOR NO KEY UPDATE;
  UPDATE generation SET
      status = CASE WHEN p_error_code IS NULL THEN 'succeeded' ELSE 'failed' END,
      completed_at = clock_timestamp(),
      progress = CASE WHEN p_error_code IS NULL THEN 1 ELSE progress END,
      coins_charged = CASE WHEN p_error_code IS NULL THEN coins_per_output * v_delivered ELSE 0 END,
      error_code = p_error_code, error_message = p_error_message
    WHERE id = p_id AND status = 'processing' AND attempt = p_attempt RETURNING * INTO g;
  IF NOT FOUND THEN outcome := 'fenced'; RETURN NEXT; RETURN; END IF;

  IF v_delivered > 0 THEN
    INSERT INTO asset (id, account_id, source, generation_id, position, kind, mime_type, bytes, sha256, width, height,
                       duration_seconds, transparent, stem, object_key, variants, expires_at)
    SELECT a.id, v_account, 'output', p_id, a.position, a.kind, a.mime_type, a.bytes, decode(a.sha256, 'hex'), a.width, a.height,
           a.duration_seconds, a.transparent, a.stem, a.object_key, a.variants, now() + p_retention_days * interval '1 day'
    FROM jsonb_to_recordset(p_assets) AS a (id uuid, position integer, kind text, mime_type text, bytes bigint, sha256 text, width integer,
           height integer, duration_seconds double precision, transparent boolean, stem text, object_key text, variants jsonb);
  END IF;
  PERFORM close_hold(p_generation => g.id, p_charged => g.coins_charged);
  v_deliveries := record_event(p_generation => g);
  IF p_error_code = 'content_policy' AND 5 <= (
    SELECT count(*) FROM generation x WHERE x.account_id = v_account AND x.error_code = 'content_policy' AND x.completed_at > now() - interval '10 minutes'
  ) THEN
    UPDATE account SET cooldown_until = clock_timestamp() + interval '10 minutes' WHERE id = v_account;
  END IF;
  wake := promote_waiting(p_account => v_account, p_freed => 1);
  IF v_deliveries > 0 THEN wake := wake || 'deliver-webhook'::text; END IF;
  outcome := 'settled'; RETURN NEXT;
END $$;

-- Changes the running limit. A higher one takes effect immediately.
CREATE OR REPLACE FUNCTION set_run_limit(p_account uuid, p_limit integer) RETURNS text[] LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM 1 FROM account WHERE id = p_account FOR NO KEY UPDATE;
  UPDATE account SET run_limit = p_limit WHERE id = p_account;
  RETURN promote_waiting(p_account => p_account, p_freed => 0);
END $$;
