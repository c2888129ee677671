-- Events and their epochs.

-- Records the event of a settled or canceled generation, with its deliveries. Returns the number of queued jobs.
CREATE OR REPLACE FUNCTION record_event(p_generation generation) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_event event;
BEGIN
  INSERT INTO event (id, account_id, generation_id, type, created_at)
    VALUES (gen_random_uuid(), p_generation.account_id, p_generation.id, 'generation.' || p_generation.status, p_generation.completed_at)
    RETURNING * INTO v_event;
  RETURN record_deliveries(p_event => v_event, p_key => p_generation.key_id);
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
