-- A generation takes a slot of its account when a worker takes it, not when it is submitted: work that no worker takes keeps no other
-- work of the account waiting.

-- Admitted and queued, but its account had no free slot when a worker asked for it. It has no job; the end that frees a slot gives it one.
ALTER TABLE generation ADD COLUMN parked boolean NOT NULL DEFAULT false;
COMMENT ON COLUMN generation.admitted IS 'It has a job, runs, or is parked.';
COMMENT ON COLUMN account.slots IS 'Unfinished admitted generations. The running limit is compared with those that run.';
