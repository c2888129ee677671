-- Coins that people buy. A checkout is one purchase; docs/decisions/0016 explains how payments, refunds and disputes move coins.
CREATE TABLE checkout (
  id           uuid PRIMARY KEY,
  account_id   uuid NOT NULL REFERENCES account (id),
  status       text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'paid', 'expired')),
  -- What it costs, in the smallest unit of the currency, and what it gives.
  amount       bigint NOT NULL CHECK (amount > 0),
  currency     text NOT NULL CHECK (currency ~ '^[a-z]{3}$'),
  coins        bigint NOT NULL CHECK (coins > 0),
  -- The provider's id of the payment.
  payment_ref  text UNIQUE CHECK (length(payment_ref) BETWEEN 1 AND 255),
  -- Without a foreign key, which would change how TRUNCATE of the ledger is refused; `verify` checks it.
  transfer_id  bigint UNIQUE,
  -- Coins taken back for refunds and disputes.
  coins_taken  bigint NOT NULL DEFAULT 0 CHECK (coins_taken BETWEEN 0 AND coins),
  created_at   timestamptz NOT NULL DEFAULT now(),
  paid_at      timestamptz,
  CHECK ((status = 'paid') = (transfer_id IS NOT NULL)),
  CHECK ((status = 'paid') = (payment_ref IS NOT NULL)),
  CHECK ((status = 'paid') = (paid_at IS NOT NULL))
);
CREATE INDEX checkout_account ON checkout (account_id, created_at);

-- Every event of the payment provider that had a meaning here, so that a repeated one changes nothing.
CREATE TABLE payment_event (
  id          text PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 100),
  type        text NOT NULL,
  received_at timestamptz NOT NULL DEFAULT now()
);
CREATE TRIGGER payment_event_append_only BEFORE UPDATE OR DELETE ON payment_event
  FOR EACH ROW EXECUTE FUNCTION refuse_change();
CREATE TRIGGER payment_event_no_truncate BEFORE TRUNCATE ON payment_event
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Refunds and disputes by payment: their events may arrive before the event that the payment succeeded.
CREATE TABLE payment_refund (
  payment_ref text PRIMARY KEY CHECK (length(payment_ref) BETWEEN 1 AND 255),
  amount      bigint NOT NULL CHECK (amount >= 0)
);
CREATE TABLE payment_dispute (
  id          text PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 255),
  payment_ref text NOT NULL CHECK (length(payment_ref) BETWEEN 1 AND 255),
  amount      bigint NOT NULL CHECK (amount >= 0),
  -- Whether the provider took the money back.
  is_taken    boolean NOT NULL,
  is_final    boolean NOT NULL,
  -- When the provider created the newest event about it.
  as_of       timestamptz NOT NULL
);
CREATE INDEX payment_dispute_payment ON payment_dispute (payment_ref);

GRANT SELECT, INSERT ON checkout, payment_event, payment_refund, payment_dispute TO atelier_app;
GRANT UPDATE (status, payment_ref, transfer_id, coins_taken, paid_at) ON checkout TO atelier_app;
GRANT UPDATE (amount) ON payment_refund TO atelier_app;
GRANT UPDATE (amount, is_taken, is_final, as_of) ON payment_dispute TO atelier_app;
