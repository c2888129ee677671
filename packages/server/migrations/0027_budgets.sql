-- Monthly budgets of projects, and alerts when a share of one is reached; docs/decisions/0017 explains how each alert is sent once.
-- There is no foreign key to the account, as in the tables of usage: its check would lock the account against submits and settlements.
CREATE TABLE budget (
  id                  uuid PRIMARY KEY,
  account_id          uuid NOT NULL,
  -- Null: generations without a project.
  project_id          text CHECK (length(project_id) BETWEEN 1 AND 128),
  coins               bigint NOT NULL CHECK (coins > 0),
  -- The shares that are reported, in percent.
  alert_percents      integer[] NOT NULL CHECK (cardinality(alert_percents) BETWEEN 1 AND 5 AND 1 <= ALL (alert_percents) AND 200 >= ALL (alert_percents)),
  -- The newest alert: the first day of its month, and its share.
  alerted_month       date CHECK (extract(day FROM alerted_month) = 1),
  alerted_percent     integer,
  -- The last transfer that this budget was compared with, and when.
  checked_transfer_id bigint NOT NULL DEFAULT 0,
  checked_at          timestamptz NOT NULL DEFAULT '-infinity',
  created_at          timestamptz NOT NULL DEFAULT now(),
  -- When the coins or the shares were last set.
  changed_at          timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT budget_project UNIQUE NULLS NOT DISTINCT (account_id, project_id),
  CHECK ((alerted_month IS NULL) = (alerted_percent IS NULL))
);
GRANT SELECT, INSERT, UPDATE, DELETE ON budget TO atelier_app;

-- An endpoint gets events about the account only if it names them.
ALTER TABLE webhook_endpoint DROP CONSTRAINT webhook_endpoint_events_check;
ALTER TABLE webhook_endpoint ADD CONSTRAINT webhook_endpoint_events_check
  CHECK (events <@ ARRAY['generation.succeeded', 'generation.failed', 'generation.canceled', 'budget.reached'] AND cardinality(events) > 0);

-- The whole body of an event about the account. It has no row in the feed, whose events are about generations.
ALTER TABLE delivery ADD COLUMN notice jsonb;
ALTER TABLE delivery DROP CONSTRAINT delivery_event_or_test;
ALTER TABLE delivery ADD CONSTRAINT delivery_has_one_event CHECK (num_nonnulls(event_id, test_event, notice) = 1);
