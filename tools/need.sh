#!/usr/bin/env bash
# Installs what the tests need and the machine lacks, where it can: need.sh THING...
# It can as root where apt-get is. Elsewhere it names the packages of Debian and fails.
set -euo pipefail

one_of() {
  for program; do
    command -v "$program" >/dev/null && return
  done
  return 1
}

# The tests fetch a newer PostgreSQL and the engine of ClickHouse as packages of npm.
has() {
  case $1 in
    compiler) one_of gcc && one_of g++ ;;
    npm) one_of npm ;;
    browser) [ -n "${BROWSER:-}" ] || one_of chromium-headless-shell chromium google-chrome ;;
    postgres)
      [ -n "${TOUCHSTONE_TEST_POSTGRES:-}" ] || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || one_of initdb ||
        { [ "$(id -u)" != 0 ] && one_of npm; } # without root the newer server has to do
      ;;
    systemd) one_of systemd-analyze ;;
    buildah) one_of buildah && one_of ip ;;
    old-clickhouse) one_of clickhouse-server ;;
    *) echo "need.sh knows no $1" >&2 && exit 2 ;;
  esac
}

packages() {
  case $1 in
    compiler) echo gcc g++ ;;
    npm) echo nodejs npm ;;
    browser) echo chromium-headless-shell ;;
    postgres) echo postgresql ;;
    systemd) echo systemd ;;
    buildah) echo buildah iproute2 ;;
    old-clickhouse) echo clickhouse-server ;;
  esac
}

missing=()
for thing; do
  if ! has "$thing"; then
    read -ra names <<<"$(packages "$thing")"
    missing+=("${names[@]}")
  fi
done
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
  echo "the tests need programs that are not installed: apt-get install ${missing[*]}" >&2
  exit 1
fi
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
