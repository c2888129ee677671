-- Accounts.

-- Removes free text from the audit log of an erased account. Runs with the owner's privileges: the service itself can only insert.
CREATE OR REPLACE FUNCTION erase_audit(p_account uuid) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE audit_log SET detail = without_words(p_detail => detail)
    WHERE account_id = p_account AND detail <> without_words(p_detail => detail)
      AND EXISTS (SELECT 1 FROM account WHERE id = p_account AND erased_at IS NOT NULL);
END $$;

-- The first step of an erasure: disables all access to the account and removes its names. Safe to repeat.
CREATE OR REPLACE FUNCTION begin_erasure(p_account uuid, p_actor text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  -- Waits for rows that are being added, and lets later ones wait: they are refused then.
  PERFORM 1 FROM account WHERE id = p_account FOR UPDATE;
  UPDATE account SET name = 'erased', locked_at = coalesce(locked_at, now()), locked_reason = 'erased', erased_at = coalesce(erased_at, now())
    WHERE id = p_account;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE api_key SET name = 'erased', revoked_at = coalesce(revoked_at, now()) WHERE account_id = p_account;
  UPDATE webhook_endpoint SET url = 'https://erased.invalid/', status = 'deleted', status_reason = NULL, secret_sealed = '', updated_at = now()
    WHERE account_id = p_account;
  INSERT INTO audit_log (actor, action, account_id) VALUES (p_actor, 'account.erased', p_account);
  PERFORM erase_audit(p_account => p_account);
  RETURN true;
END $$;
