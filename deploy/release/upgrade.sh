#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# Tests this release against the one before it: data directory, control database and what
# sidecars and gateways hand each other. The one before is the last tag v* that comes
# before the checked out commit; it is built in a worktree of its own. Where there is no
# such tag, a process of this release is exchanged for another one.
set -eu

root=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
cd "$root"
tag=$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null || true)
if [ -z "$tag" ]; then
	echo "there is no release before this one: it is tested against itself"
else
	echo "the release before this one is $tag"
	before=$(mktemp -d)
	trap 'git worktree remove --force "$before/checkout"; rm -rf "$before"' EXIT
	git worktree add --quiet --detach "$before/checkout" "$tag"
	make -C "$before/checkout" build build-slim
	export TOUCHSTONE_BEFORE="$before/checkout"
fi
CGO_ENABLED=1 "${GO:-go}" test -count=1 -timeout 30m -v -run 'TestUpgradeAndDowngrade|TestCarriersOfTwoReleases' ./components
