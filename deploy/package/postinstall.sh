#!/bin/sh
# After the installation and after each upgrade. dpkg may work for another root, which
# DPKG_ROOT names then: nothing is started there.
set -e
[ "$1" = configure ] || exit 0
if [ -z "$DPKG_ROOT" ]; then
  adduser --quiet --system --group --home /var/lib/touchstone --no-create-home touchstone
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    if [ -n "$2" ]; then # an upgrade
      systemctl try-restart touchstone.service
    else
      systemctl enable --now touchstone.service
    fi
  fi
fi
