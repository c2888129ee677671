-- Creates the database and its three roles. Run it once with psql 15 or later, as a superuser:
--   DATABASE_OWNER_PASSWORD=... DATABASE_PASSWORD=... psql -f deploy/roles.sql postgres://postgres@HOST/postgres
-- Safe to run again: it keeps existing objects and sets the two passwords.
--
--   atelier_owner  owns the tables; `migrate` logs in as it. It cannot create roles or databases.
--   atelier_app    the group that the migrations grant privileges to.
--   atelier        the login role of the running service: a member of atelier_app that owns nothing.
\set ON_ERROR_STOP on
\getenv owner_password DATABASE_OWNER_PASSWORD
\getenv service_password DATABASE_PASSWORD

SELECT 'CREATE ROLE atelier_app NOLOGIN' WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'atelier_app') \gexec
SELECT 'CREATE ROLE atelier_owner' WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'atelier_owner') \gexec
SELECT 'CREATE ROLE atelier' WHERE NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'atelier') \gexec
ALTER ROLE atelier_owner LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB PASSWORD :'owner_password';
ALTER ROLE atelier LOGIN NOSUPERUSER NOCREATEROLE NOCREATEDB PASSWORD :'service_password';
GRANT atelier_app TO atelier;

SELECT 'CREATE DATABASE atelier OWNER atelier_owner' WHERE NOT EXISTS (SELECT 1 FROM pg_database WHERE datname = 'atelier') \gexec
REVOKE ALL ON DATABASE atelier FROM PUBLIC;
GRANT CONNECT, TEMPORARY ON DATABASE atelier TO atelier_app;
