-- Submits with one session budget share a spending limit, such as those of one agent's session. A submit adds up what the others cost,
-- under the lock of the account. The columns of the index never change, so updates of a generation stay in place.
ALTER TABLE generation ADD COLUMN session_budget_id text CHECK (length(session_budget_id) BETWEEN 1 AND 100);
CREATE INDEX generation_session_budget ON generation (account_id, session_budget_id) WHERE session_budget_id IS NOT NULL;
