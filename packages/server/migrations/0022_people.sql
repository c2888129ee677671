-- The people who sign in to the console, how they prove who they are, and the accounts they belong to. The library of
-- identity/ reads and writes the tables person to person_two_factor; docs/decisions/0014 says what it is configured to do.

CREATE TABLE person (
  id                 uuid PRIMARY KEY,
  name               text NOT NULL CHECK (length(name) <= 200),
  email              text NOT NULL UNIQUE CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  email_verified     boolean NOT NULL DEFAULT false,
  image              text CHECK (length(image) <= 2000),
  two_factor_enabled boolean NOT NULL DEFAULT false,
  -- Set once, with the first pair of accounts or the first invitation that was accepted.
  set_up_at          timestamptz,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now()
);

-- A session ends after 12 hours without a request and at the latest after 7 days. Its token is in the cookie only.
CREATE TABLE person_session (
  id         uuid PRIMARY KEY,
  person_id  uuid NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  token_hash text NOT NULL UNIQUE CHECK (token_hash ~ '^[A-Za-z0-9_-]{43}$'),
  expires_at timestamptz NOT NULL,
  ip_address text CHECK (length(ip_address) <= 100),
  user_agent text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT person_session_absolute_end CHECK (expires_at <= created_at + interval '7 days')
);
CREATE INDEX person_session_of_person ON person_session (person_id);
CREATE INDEX person_session_expired ON person_session (expires_at);

-- A password (provider `credential`), or the identity at an OpenID Connect provider.
CREATE TABLE person_credential (
  id                       uuid PRIMARY KEY,
  person_id                uuid NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  provider_id              text NOT NULL,
  subject                  text NOT NULL,
  password_hash            text,
  access_token             text,
  refresh_token            text,
  id_token                 text,
  access_token_expires_at  timestamptz,
  refresh_token_expires_at timestamptz,
  scope                    text,
  created_at               timestamptz NOT NULL DEFAULT now(),
  updated_at               timestamptz NOT NULL DEFAULT now(),
  UNIQUE (provider_id, subject)
);
CREATE INDEX person_credential_of_person ON person_credential (person_id);

-- One-time values: password resets, second steps of a sign-in, passkey challenges. The identifier is a hash of what the client holds.
CREATE TABLE person_verification (
  id         text PRIMARY KEY,
  identifier text NOT NULL,
  value      text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX person_verification_identifier ON person_verification (identifier);
CREATE INDEX person_verification_expired ON person_verification (expires_at);

CREATE TABLE person_passkey (
  id            uuid PRIMARY KEY,
  person_id     uuid NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  name          text CHECK (length(name) <= 200),
  public_key    text NOT NULL,
  credential_id text NOT NULL UNIQUE,
  counter       bigint NOT NULL,
  device_type   text NOT NULL,
  backed_up     boolean NOT NULL,
  transports    text,
  aaguid        text,
  created_at    timestamptz
);
CREATE INDEX person_passkey_of_person ON person_passkey (person_id);

-- The secret and the backup codes are encrypted with a key derived from the master key.
CREATE TABLE person_two_factor (
  id                        uuid PRIMARY KEY,
  person_id                 uuid NOT NULL UNIQUE REFERENCES person (id) ON DELETE CASCADE,
  secret                    text NOT NULL,
  backup_codes              text NOT NULL,
  verified                  boolean NOT NULL DEFAULT false,
  failed_verification_count integer NOT NULL DEFAULT 0,
  locked_until              timestamptz
);

-- Attempts to sign in, sign up or get a mail, counted in fixed windows. The key is a digest: no address of a person is in it.
CREATE TABLE throttle (
  key     bytea PRIMARY KEY CHECK (length(key) = 32),
  count   integer NOT NULL CHECK (count > 0),
  ends_at timestamptz NOT NULL
);
CREATE INDEX throttle_ended ON throttle (ends_at);

-- Who belongs to a pair of accounts. pair_id is the owner_id that the live and the test account share.
CREATE TABLE membership (
  person_id  uuid NOT NULL REFERENCES person (id) ON DELETE CASCADE,
  pair_id    uuid NOT NULL,
  -- Constant: it lets the foreign key name the live account, so that a membership always leads to a pair.
  mode       text NOT NULL DEFAULT 'live' CHECK (mode = 'live'),
  role       text NOT NULL CHECK (role IN ('owner', 'developer', 'billing', 'viewer')),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (person_id, pair_id),
  FOREIGN KEY (pair_id, mode) REFERENCES account (owner_id, mode)
);
CREATE INDEX membership_of_pair ON membership (pair_id);

-- An invitation is accepted once. Its token is in the mail only.
CREATE TABLE invitation (
  id          uuid PRIMARY KEY,
  pair_id     uuid NOT NULL,
  mode        text NOT NULL DEFAULT 'live' CHECK (mode = 'live'),
  email       text NOT NULL CHECK (email = lower(email) AND length(email) BETWEEN 3 AND 254),
  role        text NOT NULL CHECK (role IN ('owner', 'developer', 'billing', 'viewer')),
  token_hash  bytea NOT NULL UNIQUE CHECK (length(token_hash) = 32),
  invited_by  uuid REFERENCES person (id) ON DELETE SET NULL,
  expires_at  timestamptz NOT NULL,
  accepted_at timestamptz,
  revoked_at  timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now(),
  FOREIGN KEY (pair_id, mode) REFERENCES account (owner_id, mode)
);
CREATE INDEX invitation_of_pair ON invitation (pair_id, created_at DESC);
CREATE INDEX invitation_of_inviter ON invitation (invited_by);
CREATE INDEX invitation_expired ON invitation (expires_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON person, person_session, person_credential, person_verification, person_passkey,
  person_two_factor, throttle, membership, invitation TO atelier_app;
