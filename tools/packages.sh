#!/usr/bin/env bash
# Prints the packages of a ring of tests: packages.sh unit|servers|clickhouse
# The imports of its tests decide where a package belongs: those that start a PostgreSQL
# or ClickHouse server are not in the ring "unit". components has a target of its own.
set -euo pipefail

case $1 in unit | servers | clickhouse) ;; *) echo "packages.sh knows no ring $1" >&2 && exit 2 ;; esac
"${GO:-go}" list -f '{{.ImportPath}} {{join .TestImports " "}} {{join .XTestImports " "}}' ./... |
  awk -v wanted="$1" '{
    ring = "unit"
    if (/storetest\/(postgres|clickhouse)test( |$)/) ring = "servers"
    if ($1 ~ /clickhouse(test)?(\/|$)/) ring = "clickhouse"
    if ($1 ~ /touchstone\/components$/) ring = "whole"
    if (ring == wanted) print $1
  }'
