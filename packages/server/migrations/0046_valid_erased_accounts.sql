-- migrate: outside a transaction
-- Added by 0042 without reading the table.
ALTER TABLE account VALIDATE CONSTRAINT account_erased;
