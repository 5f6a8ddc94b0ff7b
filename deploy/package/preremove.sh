#!/bin/sh
# Before the removal; an upgrade restarts the service itself.
set -e
if [ "$1" = remove ] && [ -z "$DPKG_ROOT" ] && [ -d /run/systemd/system ]; then
  systemctl disable --now touchstone.service
fi
