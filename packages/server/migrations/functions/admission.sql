-- The running limit of an account. A generation takes a slot when a worker takes it. Before, it needs a job, and more generations have
-- one than can start: each model has as many as there are free slots. So workers that are busy or gone keep no work of other workers
-- waiting, and an account with a long queue still has few jobs among those of the other accounts.

-- Whether as many generations of the account run as may.
CREATE OR REPLACE FUNCTION is_at_limit(p_account uuid) RETURNS boolean STABLE LANGUAGE plpgsql AS $$
BEGIN
  RETURN (SELECT a.run_limit <= (
      SELECT count(*) FROM generation r WHERE r.account_id = p_account AND r.status = 'processing' AND r.admitted AND r.completed_at IS NULL)
    FROM account a WHERE a.id = p_account);
END $$;

-- Gives every model of the account jobs for as many generations as could start now, oldest first, so that whichever workers are free
-- use the account's slots: first to parked generations, then to waiting ones. Called after p_freed admitted generations ended. The
-- caller holds the account's lock. In a busy account one ends and one is admitted, so the count usually stays unchanged. Returns the
-- queues with new jobs.
CREATE OR REPLACE FUNCTION promote_waiting(p_account uuid, p_freed integer) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
  v_free   bigint;
  v_parked boolean;
  v_model  text := '';
  v_need   bigint;
  v_next   record;
  v_change integer := -p_freed;
  v_pools  text[] := '{}';
BEGIN
  SELECT a.run_limit - t.running, t.parked INTO v_free, v_parked
  FROM account a CROSS JOIN LATERAL (
    SELECT count(*) FILTER (WHERE g.status = 'processing') AS running, bool_or(g.parked) AS parked
    FROM generation g WHERE g.account_id = a.id AND g.admitted AND g.completed_at IS NULL
  ) t WHERE a.id = p_account;

  IF v_parked AND v_free > 0 THEN
    FOR v_next IN
      UPDATE generation g SET parked = false FROM (
        SELECT q.id, row_number() OVER (PARTITION BY q.model_id ORDER BY q.parked, q.created_at, q.id) AS place
        FROM generation q WHERE q.account_id = p_account AND q.status = 'queued' AND q.admitted AND q.completed_at IS NULL
      ) t WHERE g.id = t.id AND g.parked AND t.place <= v_free RETURNING g.id, g.pool
    LOOP
      v_pools := v_pools || v_next.pool;
      -- The row of its first job may still exist. The new id keeps the time of the generation's, by which jobs of one moment are sorted.
      PERFORM enqueue_job(p_queue => v_next.pool, p_id => overlay(gen_random_uuid()::text PLACING left(v_next.id::text, 18) FROM 1)::uuid,
        p_data => jsonb_build_object('generationId', v_next.id), p_start_after => now());
    END LOOP;
  END IF;

  WHILE v_free > 0 LOOP
    SELECT w.model_id INTO v_model FROM generation w
      WHERE w.account_id = p_account AND w.status = 'queued' AND NOT w.admitted AND w.completed_at IS NULL AND w.model_id > v_model
      ORDER BY w.model_id LIMIT 1;
    EXIT WHEN NOT FOUND;
    SELECT v_free - count(*) INTO v_need FROM generation q
      WHERE q.account_id = p_account AND q.status = 'queued' AND q.admitted AND q.completed_at IS NULL AND q.model_id = v_model;
    WHILE v_need > 0 LOOP
      UPDATE generation g SET admitted = true WHERE g.id = (
        SELECT w.id FROM generation w
        WHERE w.account_id = p_account AND w.status = 'queued' AND NOT w.admitted AND w.completed_at IS NULL AND w.model_id = v_model
        ORDER BY w.queue_number LIMIT 1
      ) RETURNING g.id, g.pool, g.queue_number INTO v_next;
      EXIT WHEN NOT FOUND;
      IF first_waiting(p_account => p_account) < v_next.queue_number THEN
        PERFORM leave_queue(p_account => p_account, p_number => v_next.queue_number);
      END IF;
      v_need := v_need - 1;
      v_change := v_change + 1;
      v_pools := v_pools || v_next.pool;
      PERFORM enqueue_job(p_queue => v_next.pool, p_id => v_next.id, p_data => jsonb_build_object('generationId', v_next.id),
        p_start_after => now());
    END LOOP;
  END LOOP;
  IF v_change <> 0 THEN UPDATE account SET slots = slots + v_change WHERE id = p_account; END IF;
  RETURN v_pools;
END $$;
