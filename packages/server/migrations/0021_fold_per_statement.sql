-- Transfers are folded into balances once per statement instead of once per row.
DROP TRIGGER transfer_fold ON transfer;
CREATE TRIGGER transfer_fold AFTER INSERT ON transfer REFERENCING NEW TABLE AS moved
  FOR EACH STATEMENT EXECUTE FUNCTION fold_transfers();
