-- The people who may use the operator's desk.
CREATE TABLE desk_operator (
  person_id  uuid PRIMARY KEY REFERENCES person (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT, INSERT, DELETE ON desk_operator TO atelier_app;
