-- What the operator's desk may do, granted to the group atelier_desk each time `migrate` runs. It reads all tables but the queue's, moves coins by
-- inserting transfers, and changes accounts, switches and prices. It can neither submit or settle a generation, nor create a key,
-- an endpoint or an operator, nor rewrite the ledger or the audit log.
REVOKE ALL ON ALL TABLES IN SCHEMA public FROM atelier_desk;
GRANT USAGE ON SCHEMA public TO atelier_desk;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO atelier_desk;
GRANT USAGE ON SEQUENCE audit_log_id_seq, transfer_id_seq TO atelier_desk;
GRANT INSERT ON audit_log, transfer TO atelier_desk;
GRANT INSERT, UPDATE, DELETE ON setting TO atelier_desk;
GRANT UPDATE (run_limit, raised_limit, rate_limit, storage_quota, locked_at, locked_reason) ON account TO atelier_desk;
-- Written by whichever process starts first.
GRANT INSERT ON master_key, bucket_prefix TO atelier_desk;
-- Sign-in: sessions, codes, failed attempts, and the counter of a passkey. It registers nobody and sets no secret.
GRANT INSERT, UPDATE, DELETE ON person_session, person_verification, throttle TO atelier_desk;
GRANT UPDATE (counter) ON person_passkey TO atelier_desk;
GRANT UPDATE (backup_codes, verified, failed_verification_count, locked_until) ON person_two_factor TO atelier_desk;
