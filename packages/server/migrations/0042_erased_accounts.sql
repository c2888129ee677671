-- An erased account stays locked and accepts nothing new: no key, endpoint, member, purchase, upload or grant.
ALTER TABLE account ADD COLUMN erased_at timestamptz;
GRANT UPDATE (erased_at) ON account TO atelier_app;

UPDATE account a SET erased_at = l.at
FROM (SELECT account_id, min(at) AS at FROM audit_log WHERE action = 'account.erased' GROUP BY account_id) l
WHERE a.id = l.account_id AND a.locked_at IS NOT NULL AND a.locked_reason = 'erased';

-- Not validated: it checks every change from here on, and no earlier row has the column set without the lock.
ALTER TABLE account ADD CONSTRAINT account_erased CHECK (erased_at IS NULL OR locked_at IS NOT NULL) NOT VALID;

CREATE TRIGGER api_key_erased BEFORE INSERT ON api_key FOR EACH ROW EXECUTE FUNCTION refuse_erased('account_id');
CREATE TRIGGER webhook_endpoint_erased BEFORE INSERT ON webhook_endpoint FOR EACH ROW EXECUTE FUNCTION refuse_erased('account_id');
CREATE TRIGGER asset_erased BEFORE INSERT ON asset FOR EACH ROW WHEN (NEW.source = 'upload') EXECUTE FUNCTION refuse_erased('account_id');
CREATE TRIGGER resumable_upload_erased BEFORE INSERT ON resumable_upload FOR EACH ROW EXECUTE FUNCTION refuse_erased('account_id');
CREATE TRIGGER checkout_erased BEFORE INSERT ON checkout FOR EACH ROW EXECUTE FUNCTION refuse_erased('account_id');
CREATE TRIGGER budget_erased BEFORE INSERT ON budget FOR EACH ROW EXECUTE FUNCTION refuse_erased('account_id');
CREATE TRIGGER transfer_erased BEFORE INSERT ON transfer FOR EACH ROW WHEN (NEW.kind = 'grant') EXECUTE FUNCTION refuse_erased('account_id');
CREATE TRIGGER pairing_erased BEFORE UPDATE OF account_id ON pairing FOR EACH ROW WHEN (NEW.account_id IS NOT NULL)
  EXECUTE FUNCTION refuse_erased('account_id');
CREATE TRIGGER membership_erased BEFORE INSERT ON membership FOR EACH ROW EXECUTE FUNCTION refuse_erased('pair_id');
CREATE TRIGGER invitation_erased BEFORE INSERT ON invitation FOR EACH ROW EXECUTE FUNCTION refuse_erased('pair_id');
