-- Events and their epochs.

-- Records the events of ended generations, in the order of their ends, with their deliveries. Returns the number of queued jobs.
CREATE OR REPLACE FUNCTION record_events(p_generations uuid[]) RETURNS integer LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_events uuid[];
BEGIN
  WITH recorded AS (
    INSERT INTO event (id, account_id, generation_id, type, created_at)
      SELECT gen_random_uuid(), g.account_id, g.id, 'generation.' || g.status, g.completed_at
      FROM generation g WHERE g.id = ANY (p_generations) ORDER BY g.completed_at
      RETURNING id
  )
  SELECT array_agg(id) INTO v_events FROM recorded;
  RETURN record_deliveries(p_events => v_events);
END $$;

CREATE OR REPLACE FUNCTION record_event(p_generation generation) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  RETURN record_events(p_generations => ARRAY[p_generation.id]);
END $$;

-- Starts a new epoch if this is not the server that wrote last. The lock waits for all writers of events, so no event of
-- the old epoch can commit after the new one is visible.
CREATE OR REPLACE FUNCTION check_event_epoch() RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM event_epoch WHERE server <> server_identity()) THEN
    LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE;
    UPDATE event_epoch SET epoch = epoch + 1, server = server_identity() WHERE server <> server_identity();
  END IF;
  RETURN current_epoch();
END $$;

-- Raises the epoch above that of another cell before its events are imported: positions that were issued there are then before all
-- events of this cell. Waits for writers of events, as above.
CREATE OR REPLACE FUNCTION raise_event_epoch(p_above integer) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF current_epoch() <= p_above THEN
    LOCK TABLE event IN SHARE ROW EXCLUSIVE MODE;
    UPDATE event_epoch SET epoch = p_above + 1 WHERE epoch <= p_above;
  END IF;
  RETURN current_epoch();
END $$;
