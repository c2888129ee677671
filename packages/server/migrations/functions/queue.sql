-- Jobs. PL/pgSQL caches the plans of its statements; functions in plain SQL are planned on every call. This applies to all files here.
-- Functions that take arrays force the generic plan: the planner expects fewer rows of a short array, prefers a plan for just this
-- array, and would plan every call.

-- Adds jobs in the caller's transaction, with the settings of their queues, as pg-boss does for its own inserts.
-- The caller chooses the ids, so a second job for the same work cannot exist.
CREATE OR REPLACE FUNCTION enqueue_jobs(p_queues text[], p_ids uuid[], p_data jsonb[], p_start_after timestamptz) RETURNS void
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO pgboss.job (id, name, data, start_after, created_on, expire_seconds, deletion_seconds, keep_until,
                          retry_limit, retry_delay, retry_backoff, retry_delay_max, policy, dead_letter, heartbeat_seconds)
  SELECT j.id, q.name, j.data, p_start_after, now(), q.expire_seconds, q.deletion_seconds,
         p_start_after + q.retention_seconds * interval '1 second',
         q.retry_limit, q.retry_delay, coalesce(q.retry_backoff, false), q.retry_delay_max, q.policy, q.dead_letter, q.heartbeat_seconds
  FROM unnest(p_queues, p_ids, p_data) AS j (queue, id, data) JOIN pgboss.queue q ON q.name = j.queue
  ON CONFLICT DO NOTHING;
END $$;

CREATE OR REPLACE FUNCTION enqueue_job(p_queue text, p_id uuid, p_data jsonb, p_start_after timestamptz) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  PERFORM enqueue_jobs(p_queues => ARRAY[p_queue], p_ids => ARRAY[p_id], p_data => ARRAY[p_data], p_start_after => p_start_after);
END $$;
