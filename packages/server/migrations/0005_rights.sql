-- What the running service may do. It reads and writes its tables, moves coins by inserting transfers, and can
-- neither rewrite the ledger nor touch a balance.
GRANT USAGE ON SCHEMA public TO atelier_app;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO atelier_app;
-- Balances are not among them: a new account starts at zero and only transfers change that.
GRANT INSERT (id, owner_id, mode, name, run_limit, raised_limit, rate_limit, created_at) ON account TO atelier_app;
GRANT INSERT ON api_key, key_month, setting, audit_log, transfer, generation, hold, asset, generation_input,
  webhook_endpoint, event, delivery, attempt TO atelier_app;
GRANT UPDATE (slots, run_limit, raised_limit, rate_limit, name, locked_at, locked_reason, cooldown_until) ON account TO atelier_app;
GRANT UPDATE (name, scopes, monthly_cap, rate_limit, expires_at, revoked_at, last_used_at) ON api_key TO atelier_app;
GRANT UPDATE ON key_month, setting, generation, webhook_endpoint, delivery, asset TO atelier_app;
GRANT UPDATE (captured, released, closed_at) ON hold TO atelier_app;
GRANT DELETE ON asset, generation_input, setting, event, delivery, attempt TO atelier_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO atelier_app;
