-- The backend that has a run, and the backend's handle of it, each in its own column. `provider_handle` holds both, separated by a
-- space, for workers of the previous version that run beside new ones; a trigger copies what either side writes. The next
-- release drops the trigger and the old column.
ALTER TABLE generation
  ADD COLUMN submitted_target text,
  ADD COLUMN submitted_handle text;

-- A trigger refuses every change of an ended generation, this one too.
ALTER TABLE generation DISABLE TRIGGER generation_transition;
UPDATE generation SET submitted_target = split_part(provider_handle, ' ', 1),
    submitted_handle = substr(provider_handle, position(' ' IN provider_handle) + 1)
  WHERE provider_handle IS NOT NULL;
ALTER TABLE generation ENABLE TRIGGER generation_transition;

ALTER TABLE generation ADD CONSTRAINT generation_submitted CHECK ((submitted_target IS NULL) = (submitted_handle IS NULL));

-- By name it comes before generation_transition, which judges the result.
CREATE TRIGGER generation_submitted BEFORE UPDATE OF provider_handle, submitted_target, submitted_handle ON generation
  FOR EACH ROW EXECUTE FUNCTION copy_submitted();
