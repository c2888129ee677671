-- Events of the payment provider that this cell cannot apply yet: their account moved away, is unknown here, or the payment itself has not
-- been reported. docs/decisions/0016 and 0026 explain who applies them.
CREATE TABLE parked_payment_event (
  id          text PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 100),
  -- Without a foreign key: a restored database may not know the account.
  account_id  uuid NOT NULL,
  -- As the driver read it.
  event       jsonb NOT NULL,
  -- When the provider created it.
  created_at  timestamptz NOT NULL,
  parked_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX parked_payment_event_account ON parked_payment_event (account_id);
CREATE INDEX parked_payment_event_age ON parked_payment_event (parked_at);
GRANT SELECT, INSERT, DELETE ON parked_payment_event TO atelier_app;

-- The ids of applied events move with the account, so that the other cell applies none of them again. Null for events from before.
ALTER TABLE payment_event ADD COLUMN account_id uuid;

-- When the rows had arrived in the other cell: it gets every event that the provider created later, and knows its checkout. Null for moves from before.
ALTER TABLE account_move ADD COLUMN arrived_at timestamptz;
