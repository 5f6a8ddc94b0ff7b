#!/usr/bin/env bash
# Installs Debian's npm for the tests where it is missing and that can be done: the
# engine of ClickHouse and a newer PostgreSQL come as packages of npm.
set -euo pipefail

if command -v npm >/dev/null || [ -n "${TOUCHSTONE_TEST_CLICKHOUSE:-}" ]; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends npm
else
  echo "npm is needed for the tests, to fetch the engine of ClickHouse: apt-get install npm, or name a server in TOUCHSTONE_TEST_CLICKHOUSE" >&2
  exit 1
fi
