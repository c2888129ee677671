-- Jobs. PL/pgSQL caches the plans of its statements; functions in plain SQL are planned on every call. This applies to all files here.

-- Adds a job in the caller's transaction, with the settings of its queue, as pg-boss does for its own inserts.
-- The caller chooses the id, so a second job for the same work cannot exist.
CREATE OR REPLACE FUNCTION enqueue_job(p_queue text, p_id uuid, p_data jsonb, p_start_after timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO pgboss.job (id, name, data, start_after, created_on, expire_seconds, deletion_seconds, keep_until,
                          retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter, heartbeat_seconds)
  SELECT p_id, q.name, p_data, p_start_after, now(), q.expire_seconds, q.deletion_seconds,
         p_start_after + q.retention_seconds * interval '1 second',
         q.retry_limit, q.retry_delay, coalesce(q.retry_backoff, false), q.retry_delay_max, q.policy, q.dead_letter, q.heartbeat_seconds
  FROM pgboss.queue q WHERE q.name = p_queue
  ON CONFLICT DO NOTHING;
END $$;
