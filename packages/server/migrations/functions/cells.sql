-- Accounts that moved to another cell.

-- Deletes what a moved pair left here: everything but the accounts, their transfers, checkouts and audit log. Runs with the owner's
-- privileges: the service cannot delete generations. Returns the number of deleted generations.
CREATE OR REPLACE FUNCTION forget_moved_pair(p_pair uuid) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  v_accounts uuid[];
  v_count    bigint;
BEGIN
  PERFORM 1 FROM account WHERE owner_id = p_pair ORDER BY id FOR UPDATE;
  SELECT array_agg(id) INTO v_accounts FROM account WHERE owner_id = p_pair AND moved_to IS NOT NULL;
  IF v_accounts IS NULL OR EXISTS (SELECT 1 FROM account WHERE owner_id = p_pair AND moved_to IS NULL) THEN
    RAISE EXCEPTION 'the pair % has not moved', p_pair USING ERRCODE = 'restrict_violation';
  END IF;
  DELETE FROM delivery WHERE endpoint_id IN (SELECT id FROM webhook_endpoint WHERE account_id = ANY (v_accounts));
  DELETE FROM event WHERE account_id = ANY (v_accounts);
  DELETE FROM webhook_endpoint WHERE account_id = ANY (v_accounts);
  DELETE FROM run_failure WHERE account_id = ANY (v_accounts);
  DELETE FROM request_record WHERE account_id = ANY (v_accounts);
  DELETE FROM generation_input WHERE generation_id IN (SELECT id FROM generation WHERE account_id = ANY (v_accounts));
  DELETE FROM resumable_upload WHERE account_id = ANY (v_accounts);
  DELETE FROM openai_call WHERE account_id = ANY (v_accounts);
  DELETE FROM asset WHERE account_id = ANY (v_accounts);
  DELETE FROM hold WHERE generation_id IN (SELECT id FROM generation WHERE account_id = ANY (v_accounts));
  DELETE FROM generation WHERE account_id = ANY (v_accounts);
  GET DIAGNOSTICS v_count = ROW_COUNT;
  DELETE FROM key_month WHERE key_id IN (SELECT id FROM api_key WHERE account_id = ANY (v_accounts));
  DELETE FROM api_key WHERE account_id = ANY (v_accounts);
  DELETE FROM queue_gap WHERE account_id = ANY (v_accounts);
  DELETE FROM usage_day WHERE account_id = ANY (v_accounts);
  DELETE FROM usage_position WHERE account_id = ANY (v_accounts);
  DELETE FROM budget WHERE account_id = ANY (v_accounts);
  DELETE FROM pairing WHERE account_id = ANY (v_accounts);
  DELETE FROM membership WHERE pair_id = p_pair;
  DELETE FROM invitation WHERE pair_id = p_pair;
  RETURN v_count;
END $$;
