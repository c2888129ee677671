#!/usr/bin/env bash
# What the tests of installations share. Sourced by scripts/test-systemd, scripts/test-pods and scripts/test-containers.

# step NAME COMMAND...: prints how long it took. A failure ends the run.
step() {
  local name=$1 begin=$SECONDS
  shift
  printf '\n==> %s\n' "$name"
  "$@"
  printf -- '--- %s: %d s\n' "$name" "$((SECONDS - begin))"
}

# commands_of PAGE: its code blocks for a shell.
commands_of() { awk '/^```sh/ { shown = 1; next } /^```/ { shown = 0 } shown' "$1"; }

# make_picture URL KEY DIR SECONDS: a paid generation on a local engine, as a customer makes it. Tries until the service takes it.
make_picture() {
  local end=$((SECONDS + $4))
  until ATELIER_BASE_URL=$1 ATELIER_API_KEY=$2 \
    node packages/cli/src/main.ts generate landscape-painter -p 'a lake at dawn' --max-coins 10 -o "$3/out" >"$3/cli.log" 2>&1; do
    [ "$SECONDS" -lt "$end" ] || { cat "$3/cli.log" && return 1; }
    sleep 1
  done
  [ -n "$(find "$3/out" -type f -size +10k)" ] || { cat "$3/cli.log" && return 1; }
  rm -rf "$3/out"
}

# make_account COMMAND...: the command runs one of the operator. Prints a live key with coins.
make_account() {
  local account
  account=$("$@" account create --name 'Test of an installation' --coins 100 --json | jq --raw-output .accountId)
  "$@" key create --account "$account" --name test --json | jq --raw-output .key
}
