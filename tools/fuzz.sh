#!/usr/bin/env bash
# Runs every fuzz test of the module for a while: fuzz.sh [time each].
set -euo pipefail
time=${1:-5s}
go=${GO:-go}
found=0
for package in $("$go" list ./...); do
  for name in $("$go" test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
    echo "== $package $name"
    "$go" test -run '^$' -fuzz "^$name\$" -fuzztime "$time" -fuzzminimizetime 1x "$package"
    found=$((found + 1))
  done
done
echo "$found fuzz tests ran"
[ "$found" -gt 0 ]
