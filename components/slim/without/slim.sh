#!/usr/bin/env bash
# Writes go.mod of the slim build, and its go.sum beside it: slim.sh build/slim.mod
set -euo pipefail

mkdir -p "$(dirname "$1")"
new=$(mktemp -d "$1.XXXXXX")
trap 'rm -r "$new"' EXIT
cp go.mod "$new/mod"
cp go.sum "$new/sum"
for place in components/slim/without/*/go.mod; do
  echo "replace $(sed -n 's/^module //p' "$place") => ./${place%/go.mod}" >> "$new/mod"
done
mv "$new/sum" "${1%.mod}.sum" # whole files: others may be at it
mv "$new/mod" "$1"
