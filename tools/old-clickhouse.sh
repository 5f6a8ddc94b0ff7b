#!/usr/bin/env bash
# Installs Debian's ClickHouse, which is 18.16, for the test that an old server is refused.
set -euo pipefail

if command -v clickhouse-server >/dev/null; then
  exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  apt-get update
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends clickhouse-server
else
  echo "Debian's ClickHouse is needed for this test: apt-get install clickhouse-server" >&2
  exit 1
fi
