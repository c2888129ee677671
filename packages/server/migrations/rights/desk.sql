-- What the operator's desk may do, granted to the group atelier_desk each time `migrate` runs; entry/desk-rights.db.test.ts has the same as a
-- list. The desk moves coins by inserting transfers, and changes accounts, switches and prices. It can neither submit or settle a
-- generation, nor create a key, an endpoint or an operator, nor rewrite the ledger or the audit log, nor sign in as somebody. It reads no
-- secret: no hash of a key, no signing secret, no link, and of what signs people in only that of operators.
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM atelier_desk;
REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM atelier_desk;
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA public FROM atelier_desk;
GRANT USAGE ON SCHEMA public TO atelier_desk;

GRANT SELECT ON account, asset, audit_log, books_check, bucket_prefix, checkout, desk_operator, event, generation, generation_input, hold, key_month,
  master_key, membership, offer, payment_dispute, payment_refund, queue_gap, request_record, run_failure, setting,
  transfer, usage_day, usage_position, worker_status TO atelier_desk;
GRANT SELECT (id, account_id, monthly_cap) ON api_key TO atelier_desk;
GRANT SELECT (parked_at) ON parked_payment_event TO atelier_desk;
GRANT SELECT (id, account_id, status, updated_at, events, key_id) ON webhook_endpoint TO atelier_desk;
GRANT SELECT (id, event_id, endpoint_id, account_id, status, attempts, round, next_at, finished_at) ON delivery TO atelier_desk;
GRANT SELECT (delivery_id, round, n, ok, started_at, finished_at) ON attempt TO atelier_desk;

GRANT USAGE ON SEQUENCE audit_log_id_seq, transfer_id_seq TO atelier_desk;
GRANT INSERT ON audit_log, transfer TO atelier_desk;
GRANT INSERT, UPDATE, DELETE ON setting TO atelier_desk;
GRANT UPDATE (run_limit, raised_limit, rate_limit, storage_quota, locked_at, locked_reason) ON account TO atelier_desk;
-- Written by whichever process starts first.
GRANT INSERT ON master_key, bucket_prefix TO atelier_desk;

-- Sign-in: sessions, codes and failed attempts of its own. It knows no passkeys, registers nobody and sets no secret. The policies of
-- 0043 leave out all rows but those of operators.
GRANT SELECT ON person, person_credential, person_two_factor TO atelier_desk;
GRANT SELECT, INSERT, UPDATE, DELETE ON desk_session, desk_verification, throttle TO atelier_desk;
GRANT UPDATE (backup_codes, verified, failed_verification_count, locked_until) ON person_two_factor TO atelier_desk;

-- Positions in the queue, the prefix of the bucket, and the running limit of an account.
GRANT EXECUTE ON FUNCTION count_gaps, count_waiting, first_waiting, queue_offset, database_identity, server_identity, open_key_prefix, set_run_limit
  TO atelier_desk;
