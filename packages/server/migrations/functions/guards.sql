-- Functions that tables use in triggers and defaults. They are also applied before the numbered files, so they use no row types and
-- must work with the tables of the previous version.

CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- An audit log detail without free text: keeps ids, numbers, times and identifiers. Idempotent.
CREATE OR REPLACE FUNCTION without_words(p_detail jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN CASE jsonb_typeof(p_detail)
    WHEN 'object' THEN (
      SELECT coalesce(jsonb_object_agg(e.key, without_words(p_detail => e.value)), '{}') FROM jsonb_each(p_detail) e
      WHERE e.key NOT IN ('url', 'name', 'reason', 'message', 'reference'))
    WHEN 'array' THEN (SELECT coalesce(jsonb_agg(without_words(p_detail => e)), '[]') FROM jsonb_array_elements(p_detail) e)
    WHEN 'string' THEN CASE
      WHEN p_detail #>> '{}' ~ '^([0-9a-f-]{36}|[0-9T:.Z+-]{10,32}|[a-z_]{1,24}(\.[a-z_]{1,24}){0,2})$' THEN p_detail
      ELSE '"erased"' END
    ELSE p_detail
  END;
END $$;

-- The audit log is append-only, except that free text may be removed from a detail.
CREATE OR REPLACE FUNCTION guard_audit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - 'detail' = to_jsonb(OLD) - 'detail' AND NEW.detail = without_words(p_detail => OLD.detail) THEN RETURN NEW; END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;

-- The only writer of balances. It runs with the owner's privileges and the service has none on those columns, so no coin
-- can move without a transfer row. It refuses other tables: the service may create temporary ones and name this function in a trigger.
CREATE OR REPLACE FUNCTION fold_transfers() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_RELID <> 'public.transfer'::regclass THEN RAISE EXCEPTION 'only transfers move coins' USING ERRCODE = 'insufficient_privilege'; END IF;
  UPDATE account a SET available = a.available + f.available, held = a.held + f.held
  FROM (
    SELECT account_id,
      sum(CASE WHEN credit = 'available' THEN amount WHEN debit = 'available' THEN -amount ELSE 0 END)::bigint AS available,
      sum(CASE WHEN credit = 'held' THEN amount WHEN debit = 'held' THEN -amount ELSE 0 END)::bigint AS held
    FROM moved GROUP BY account_id
  ) f WHERE a.id = f.account_id;
  RETURN NULL;
END $$;

-- The same for one row: the trigger that 0002 creates and 0021 replaces. It works until then, also during an upgrade.
CREATE OR REPLACE FUNCTION fold_transfer() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF TG_RELID <> 'public.transfer'::regclass THEN RAISE EXCEPTION 'only transfers move coins' USING ERRCODE = 'insufficient_privilege'; END IF;
  UPDATE account SET
    available = available + CASE WHEN NEW.credit = 'available' THEN NEW.amount WHEN NEW.debit = 'available' THEN -NEW.amount ELSE 0 END,
    held      = held      + CASE WHEN NEW.credit = 'held'      THEN NEW.amount WHEN NEW.debit = 'held'      THEN -NEW.amount ELSE 0 END
  WHERE id = NEW.account_id;
  RETURN NULL;
END $$;

-- Refuses rows of an account that moved to another cell. The argument names the column of the account, or of its pair. The lock waits for a
-- departure that is under way; the same error is raised by the CHECK of the same name, which refuses coins.
CREATE OR REPLACE FUNCTION refuse_moved() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_id    uuid := (to_jsonb(NEW) ->> TG_ARGV[0])::uuid;
  v_moved text;
BEGIN
  IF TG_ARGV[0] = 'pair_id' THEN
    SELECT moved_to INTO v_moved FROM account WHERE owner_id = v_id AND mode = 'live' FOR KEY SHARE;
  ELSE
    SELECT moved_to INTO v_moved FROM account WHERE id = v_id FOR KEY SHARE;
  END IF;
  IF v_moved IS NOT NULL THEN
    RAISE EXCEPTION 'the account moved to cell %', v_moved USING ERRCODE = 'check_violation', CONSTRAINT = 'account_moved';
  END IF;
  RETURN NEW;
END $$;

-- Refuses rows of an erased account. The argument names the column of the account, or of its pair, whose live account counts. The lock waits
-- for an erasure that begins; the same error is raised by the CHECK of the same name, which refuses to unlock the account.
CREATE OR REPLACE FUNCTION refuse_erased() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_id     uuid := (to_jsonb(NEW) ->> TG_ARGV[0])::uuid;
  v_erased timestamptz;
BEGIN
  IF TG_ARGV[0] = 'pair_id' THEN
    SELECT erased_at INTO v_erased FROM account WHERE owner_id = v_id AND mode = 'live' FOR KEY SHARE;
  ELSE
    SELECT erased_at INTO v_erased FROM account WHERE id = v_id FOR KEY SHARE;
  END IF;
  IF v_erased IS NOT NULL THEN
    RAISE EXCEPTION 'the account was erased' USING ERRCODE = 'check_violation', CONSTRAINT = 'account_erased';
  END IF;
  RETURN NEW;
END $$;

-- The state machine. The same table is in domain/generations/generation-states.ts; a test compares the two.
CREATE OR REPLACE FUNCTION guard_transition() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  c_said CONSTANT text[] := ARRAY['params', 'effective', 'effect_text', 'project_id', 'idempotency_key', 'fingerprint', 'error_message',
    'provider_handle', 'submitted_target', 'submitted_handle', 'erased_at'];
BEGIN
  IF NEW.status = OLD.status AND OLD.status IN ('queued', 'processing') THEN RETURN NEW; END IF;
  IF (OLD.status, NEW.status) IN (
    ('queued', 'processing'), ('queued', 'canceled'),
    ('processing', 'succeeded'), ('processing', 'failed')
  ) THEN RETURN NEW; END IF;
  -- A terminal state never changes, except that customer content may be removed.
  IF NEW.status = OLD.status AND NEW.erased_at IS NOT NULL AND NEW.params = '{}'
    AND to_jsonb(NEW) - c_said = to_jsonb(OLD) - c_said THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'a generation cannot go from % to %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
END $$;

-- Lets workers of the previous version, which know only provider_handle, and new ones go on with each other's runs.
CREATE OR REPLACE FUNCTION copy_submitted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW.submitted_target, NEW.submitted_handle) IS DISTINCT FROM (OLD.submitted_target, OLD.submitted_handle) THEN
    NEW.provider_handle := NEW.submitted_target || ' ' || NEW.submitted_handle;
  ELSIF NEW.provider_handle IS DISTINCT FROM OLD.provider_handle THEN
    NEW.submitted_target := split_part(NEW.provider_handle, ' ', 1);
    NEW.submitted_handle := substr(NEW.provider_handle, position(' ' IN NEW.provider_handle) + 1);
  END IF;
  RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION server_identity() RETURNS text LANGUAGE sql AS $$
  SELECT s.system_identifier || '/' || c.timeline_id FROM pg_control_system() s, pg_control_checkpoint() c
$$;

-- Volatile, so that it reads the latest committed value rather than the snapshot of its statement.
CREATE OR REPLACE FUNCTION current_epoch() RETURNS integer LANGUAGE plpgsql VOLATILE AS $$
BEGIN
  RETURN (SELECT epoch FROM event_epoch);
END $$;
