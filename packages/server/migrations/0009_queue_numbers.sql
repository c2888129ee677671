-- Places in the queue without counting rows, the params of a run as they were priced, and no end of waiting.

-- Each waiting generation has the next number of its account, so a place is a difference of numbers minus the gaps between.
ALTER TABLE account ADD COLUMN queue_tail bigint NOT NULL DEFAULT 0;
ALTER TABLE generation ADD COLUMN queue_number bigint;
GRANT UPDATE (queue_tail) ON account TO atelier_app;

-- Numbers that were canceled while they waited: one bit per number, 8192 numbers per row.
CREATE TABLE queue_gap (
  account_id uuid NOT NULL REFERENCES account (id),
  bucket     bigint NOT NULL,
  missing    bit(8192) NOT NULL,
  PRIMARY KEY (account_id, bucket)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON queue_gap TO atelier_app;

UPDATE generation g SET queue_number = n.number FROM (
  SELECT id, row_number() OVER (PARTITION BY account_id ORDER BY created_at, id) AS number
  FROM generation WHERE status = 'queued' AND NOT admitted
) n WHERE g.id = n.id;
UPDATE account a SET queue_tail = n.tail
  FROM (SELECT account_id, max(queue_number) AS tail FROM generation WHERE queue_number IS NOT NULL GROUP BY 1) n WHERE a.id = n.account_id;
CREATE INDEX generation_waiting ON generation (account_id, queue_number) WHERE status = 'queued' AND NOT admitted;

-- What the run uses: params with defaults, uploads by param, settings of the effect. Null for what was submitted before.
ALTER TABLE generation ADD COLUMN effective jsonb;

DROP FUNCTION IF EXISTS expire_queued(uuid);
