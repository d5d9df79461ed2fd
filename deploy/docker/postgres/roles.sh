#!/bin/bash
# Runs once, when the cluster is created. It creates a database owned by a role without privileges, and
# a role that can read what analysts read. Sluice's migrations create the tables.
set -euo pipefail

# psql finds the server through its environment. Passwords are passed as variables, which are quoted.
psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 \
    --username "${POSTGRES_USER:-postgres}" --dbname "${POSTGRES_DB:-postgres}" \
    --set sluice="$SLUICE_DATABASE_PASSWORD" --set grafana="$GRAFANA_DATABASE_PASSWORD" <<'SQL'
create role sluice login password :'sluice';
create database sluice owner sluice;
revoke connect, temporary on database sluice from public;
-- For `sluice epoch accept`; PostgreSQL 14 has no such right.
select current_setting('server_version_num')::int >= 150000 as has_parameter_rights \gset
\if :has_parameter_rights
    grant set on parameter sluice.accepted to sluice;
\endif

create role sluice_reader nologin;
create role grafana login password :'grafana' in role sluice_reader;
grant connect on database sluice to sluice_reader;
-- A badly written panel must not delay the fleet.
alter role grafana set statement_timeout = '30s';
alter role grafana set default_transaction_read_only = on;
SQL
