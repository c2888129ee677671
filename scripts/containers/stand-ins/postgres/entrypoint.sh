#!/bin/bash
# As the official image: the first start makes the cluster and runs the scripts of /docker-entrypoint-initdb.d against a server that listens on
# its socket alone.
set -euo pipefail

if [ "$(id -u)" = 0 ]; then
  chown postgres:postgres "$PGDATA" && chmod 0700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  password=$(<"${POSTGRES_PASSWORD_FILE:?is not set}")
  # shellcheck disable=SC2086 # a list of options
  initdb -U postgres --pwfile=<(printf '%s\n' "$password") --auth-local=trust --auth-host=scram-sha-256 \
    ${POSTGRES_INITDB_ARGS:-} >/dev/null
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  pg_ctl -w -s -o "-c listen_addresses=''" start
  for script in /docker-entrypoint-initdb.d/*; do
    # shellcheck disable=SC1090
    case "$script" in
    *.sh) if [ -x "$script" ]; then "$script"; else . "$script"; fi ;;
    *.sql) psql -q -U postgres -d postgres -v ON_ERROR_STOP=1 -f "$script" ;;
    esac
  done
  pg_ctl -w -s -m fast stop
fi

# The configuration of a Debian package listens on localhost only.
exec "$@" -c listen_addresses='*'
