-- Files: ownership of bucket prefixes, and resumable uploads.

-- Identifies this database. The value changes after a restore, a copy within the server (new oid) or a failover (new timeline).
CREATE OR REPLACE FUNCTION database_identity() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  RETURN server_identity() || '/' || (SELECT oid FROM pg_database WHERE datname = current_database());
END $$;

-- The bucket prefix for files that this database writes in a cell; created by the first call.
CREATE OR REPLACE FUNCTION open_key_prefix(p_cell text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_database text := database_identity();
  v_prefix text;
BEGIN
  -- Files of the first version have no prefix. The database that wrote them may delete them; one that was ever restored
  -- may be a copy, so the operator decides.
  IF NOT EXISTS (SELECT 1 FROM bucket_prefix) THEN
    INSERT INTO bucket_prefix (prefix, owner, claimed_by)
      SELECT '', gen_random_uuid(), CASE WHEN e.epoch = 1 AND e.server = server_identity() THEN v_database ELSE 'unknown' END
      FROM event_epoch e WHERE EXISTS (SELECT 1 FROM asset) OR EXISTS (SELECT 1 FROM resumable_upload)
      ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO bucket_prefix (prefix, owner, claimed_by, cell, made_for)
    VALUES ('cell-' || p_cell || '/' || substr(md5(gen_random_uuid()::text), 1, 12) || '/', gen_random_uuid(), v_database, p_cell, v_database)
    ON CONFLICT DO NOTHING;
  SELECT prefix INTO v_prefix FROM bucket_prefix WHERE made_for = v_database AND cell = p_cell;
  RETURN v_prefix;
END $$;

-- Opens a resumable upload, or returns no row if the account has reached its limit. Locks the account first, so that
-- concurrent calls cannot exceed the limit.
CREATE OR REPLACE FUNCTION open_resumable_upload(p_id uuid, p_account uuid, p_bytes bigint, p_life_hours integer, p_max_open integer)
RETURNS SETOF resumable_upload LANGUAGE plpgsql ROWS 1 AS $$
BEGIN
  PERFORM 1 FROM account WHERE id = p_account FOR NO KEY UPDATE;
  IF (SELECT count(*) FROM resumable_upload WHERE account_id = p_account AND asset_id IS NULL AND expires_at > now()) >= p_max_open THEN
    RETURN;
  END IF;
  RETURN QUERY INSERT INTO resumable_upload (id, account_id, bytes, expires_at)
    VALUES (p_id, p_account, p_bytes, now() + p_life_hours * interval '1 hour') RETURNING *;
END $$;
