-- Creates the database and its roles. Run it once with psql 15 or later, as a superuser:
--   DATABASE_OWNER_PASSWORD=... DATABASE_PASSWORD=... DATABASE_DESK_PASSWORD=... psql -f deploy/roles.sql postgres://postgres@HOST/postgres
-- Safe to run again: it keeps existing objects and sets the passwords. Run `migrate` afterwards.
--
--   atelier_owner  owns the tables; `migrate` logs in as it. It cannot create roles or databases.
--   atelier_app    the group that the migrations grant privileges to.
--   atelier        the login role of the running service: a member of atelier_app that owns nothing.
--   atelier_desk   the group with the privileges of the operator's desk.
--   atelier_operator  the login role of the desk: a member of atelier_desk alone. It cannot log in without DATABASE_DESK_PASSWORD.
--   atelier_monitor   reads the statistics of the server, for an exporter of metrics. Only with DATABASE_MONITOR_PASSWORD.
\set ON_ERROR_STOP on
\getenv owner_password DATABASE_OWNER_PASSWORD
\getenv service_password DATABASE_PASSWORD
\getenv desk_password DATABASE_DESK_PASSWORD
\getenv monitor_password DATABASE_MONITOR_PASSWORD

SELECT format('CREATE ROLE %I NOLOGIN', name)
FROM unnest(ARRAY['atelier_app', 'atelier_desk', 'atelier_owner', 'atelier', 'atelier_operator']) AS name
WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = name) \gexec
ALTER ROLE atelier_owner LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB PASSWORD :'owner_password';
ALTER ROLE atelier LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB PASSWORD :'service_password';
GRANT atelier_app TO atelier;
\if :{?desk_password}
ALTER ROLE atelier_operator LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB PASSWORD :'desk_password';
\endif
GRANT atelier_desk TO atelier_operator;

SELECT 'CREATE DATABASE atelier OWNER atelier_owner' WHERE NOT EXISTS (SELECT 1 FROM pg_database WHERE datname = 'atelier') \gexec
REVOKE ALL ON DATABASE atelier FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE atelier TO atelier_app;
GRANT CONNECT ON DATABASE atelier TO atelier_desk;
\if :{?monitor_password}
SELECT 'CREATE ROLE atelier_monitor' WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'atelier_monitor') \gexec
ALTER ROLE atelier_monitor LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB PASSWORD :'monitor_password';
GRANT pg_monitor TO atelier_monitor;
GRANT CONNECT ON DATABASE atelier TO atelier_monitor;
\endif
