#!/usr/bin/env bash
# Prepares the context of an image: prepare.sh BINARY CONTEXT [DOCKERFILE]
set -euo pipefail
binary=$1 context=$2 dockerfile=${3:-Dockerfile}
here=$(cd "$(dirname "$0")" && pwd)
certificates=${CERTIFICATES:-/etc/ssl/certs/ca-certificates.crt}

if [ ! -r "$certificates" ]; then
  echo "the certificates of public authorities are needed: apt-get install ca-certificates, or set CERTIFICATES" >&2
  exit 1
fi
rm -rf "$context"
mkdir -p "$context/root/etc/touchstone" "$context/root/etc/ssl/certs" "$context/data"
install -m 0755 "$binary" "$context/root/touchstone"
install -m 0644 "$here/../../config.yaml" "$context/root/etc/touchstone/config.yaml"
for f in "$here"/../../config/*.yaml; do
  install -m 0644 "$f" "$context/root/etc/touchstone/$(basename "$f")"
done
install -m 0644 "$certificates" "$context/root/etc/ssl/certs/ca-certificates.crt"
install -m 0644 "$here/$dockerfile" "$context/Dockerfile"
