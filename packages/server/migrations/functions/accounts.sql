-- Accounts.

-- The first step of an erasure: nobody can act for the account any more, and its names are gone. Safe to repeat.
CREATE OR REPLACE FUNCTION begin_erasure(p_account uuid, p_actor text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET name = 'erased', locked_at = coalesce(locked_at, now()), locked_reason = 'erased' WHERE id = p_account;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE api_key SET name = 'erased', revoked_at = coalesce(revoked_at, now()) WHERE account_id = p_account;
  UPDATE webhook_endpoint SET url = 'https://erased.invalid/', status = 'deleted', status_reason = NULL, updated_at = now()
    WHERE account_id = p_account;
  INSERT INTO audit_log (actor, action, account_id) VALUES (p_actor, 'account.erased', p_account);
  RETURN true;
END $$;
