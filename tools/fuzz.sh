#!/usr/bin/env bash
# Runs every fuzz test of the module for a while: fuzz.sh [time each].
set -euo pipefail
time=${1:-5s}
go=${GO:-go}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
found=0

# A run that ends while a worker is busy may fail with nothing but "context
# deadline exceeded": that is no finding, so such
# a run is tried again. An input that fails is always written down.
run() {
  for _ in 1 2 3 4 5; do
    if "$go" test -run '^$' -fuzz "^$2\$" -fuzztime "$time" -fuzzminimizetime 1x "$1" 2>&1 | tee "$log"; then
      return 0
    fi
    if grep -q 'Failing input written' "$log" || ! grep -q 'context deadline exceeded' "$log"; then
      return 1
    fi
  done
  return 1
}

for package in $("$go" list ./...); do
  for name in $("$go" test -list '^Fuzz' "$package" | grep '^Fuzz' || true); do
    echo "== $package $name"
    run "$package" "$name"
    found=$((found + 1))
  done
done
echo "$found fuzz tests ran"
[ "$found" -gt 0 ]
