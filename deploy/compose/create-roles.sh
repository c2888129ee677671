#!/bin/bash
# PostgreSQL's image runs this once, when its data directory is empty: the passwords come from the secrets of compose.yaml.
set -euo pipefail
DATABASE_OWNER_PASSWORD=$(</run/secrets/database_owner_password)
DATABASE_PASSWORD=$(</run/secrets/database_password)
DATABASE_DESK_PASSWORD=$(</run/secrets/database_desk_password)
DATABASE_MONITOR_PASSWORD=$(</run/secrets/database_monitor_password)
export DATABASE_OWNER_PASSWORD DATABASE_PASSWORD DATABASE_DESK_PASSWORD DATABASE_MONITOR_PASSWORD
psql --no-psqlrc --quiet --username "${POSTGRES_USER:-postgres}" --dbname postgres --file /atelier/roles.sql
