-- Sessions and one-time values of the desk. Its role has rights on these tables only: with those of the console it could create a password
-- link or a session of any person.
CREATE TABLE desk_session (
  id         uuid PRIMARY KEY,
  person_id  uuid NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^[A-Za-z0-9_-]{43}$'),
  expires_at timestamptz NOT NULL,
  ip_address text CHECK (length(ip_address) <= 100),
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT desk_session_absolute_end CHECK (expires_at <= created_at + interval '7 days')
);
CREATE INDEX desk_session_of_person ON desk_session (person_id);
CREATE INDEX desk_session_expired ON desk_session (expires_at);

CREATE TABLE desk_verification (
  id         text PRIMARY KEY,
  identifier text NOT NULL,
  value      text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX desk_verification_identifier ON desk_verification (identifier);
CREATE INDEX desk_verification_expired ON desk_verification (expires_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON desk_session, desk_verification TO atelier_app;

-- What signs people in. Roles other than that of the service see the rows of operators alone: the desk needs those.
ALTER TABLE person_credential ENABLE ROW LEVEL SECURITY;
ALTER TABLE person_passkey ENABLE ROW LEVEL SECURITY;
ALTER TABLE person_two_factor ENABLE ROW LEVEL SECURITY;
CREATE POLICY service ON person_credential TO atelier_app USING (true);
CREATE POLICY service ON person_passkey TO atelier_app USING (true);
CREATE POLICY service ON person_two_factor TO atelier_app USING (true);
CREATE POLICY operators ON person_credential USING (person_id IN (SELECT o.person_id FROM desk_operator o));
CREATE POLICY operators ON person_two_factor USING (person_id IN (SELECT o.person_id FROM desk_operator o));
