#!/bin/sh
# After the removal. What was stored stays, also when the configuration is purged:
# spans are not a package's to delete.
set -e
if [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
if [ "$1" = purge ] && [ -d "$DPKG_ROOT/var/lib/touchstone" ]; then
  echo "touchstone: what was stored is still in $DPKG_ROOT/var/lib/touchstone"
fi
