#!/usr/bin/env bash
# Installs Debian's PostgreSQL for the tests where no server is named or installed,
# and where that can be done. The newer server comes by itself where npm is; the
# tests say what is missing when there is neither.
set -euo pipefail

if [ -n "${TOUCHSTONE_TEST_POSTGRES:-}" ] || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || command -v initdb >/dev/null; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends postgresql
elif ! command -v npm >/dev/null; then
  echo "a PostgreSQL server is needed for the tests: apt-get install postgresql, or name one in TOUCHSTONE_TEST_POSTGRES" >&2
  exit 1
fi
