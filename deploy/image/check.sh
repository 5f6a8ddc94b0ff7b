#!/usr/bin/env bash
# Runs an image as a container would be, without a daemon: check.sh IMAGE
# Its own user, command and environment, on a root that is read-only, with /data as a
# volume, in a network of its own. It must become healthy, take a span with a key made
# over the API, keep it over a kill -9, and end at SIGTERM. Needs root and buildah.
set -euo pipefail
image=$1
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot

container=$(buildah from "$image")
trap 'buildah umount "$container" >/dev/null; buildah rm "$container" >/dev/null' EXIT
root=$(buildah mount "$container")
told() { buildah inspect --type image --format "$1" "$image"; }
user=$(told '{{.OCIv1.Config.User}}')
mapfile -t environment < <(told '{{range .OCIv1.Config.Env}}{{println .}}{{end}}' | sed '/^$/d')
mapfile -t command < <(told '{{range .OCIv1.Config.Entrypoint}}{{println .}}{{end}}{{range .OCIv1.Config.Cmd}}{{println .}}{{end}}' | sed '/^$/d')
mapfile -t health < <(told '{{range .Docker.Config.Healthcheck.Test}}{{println .}}{{end}}' | sed '/^$/d; 1{/^CMD$/d}')
[ "$user" = 65532:65532 ] || { echo "the image runs as $user" >&2; exit 1; }

export root user
export ENVIRONMENT="${environment[*]}" COMMAND="${command[*]}" HEALTH="${health[*]}"
unshare --mount --net --pid --fork --kill-child bash -euo pipefail <<'INNER'
ip link set lo up
[ "$(stat -c %u "$root/data")" = 65532 ] || { echo "/data is not its user's" >&2; exit 1; }
mkdir -p "$root/proc" "$root/dev" # as every container runtime makes them
mount --bind "$root" "$root"
mount -o remount,ro,bind "$root"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount -t tmpfs -o "mode=0700,uid=65532,gid=65532" tmpfs "$root/data"
inside() { exec env -i $ENVIRONMENT chroot --userspec="$user" "$root" "$@"; } # in a shell of its own
start() {
  inside $COMMAND >"$root/data/log" 2>&1 &
  pid=$!
  for _ in $(seq 300); do
    (inside $HEALTH) >/dev/null 2>&1 && return
    kill -0 $pid || break
    sleep 0.2
  done
  cat "$root/data/log" >&2
  echo "it did not become healthy" >&2
  exit 1
}
if touch "$root/written" 2>/dev/null; then
  echo "the root is not read-only" >&2
  exit 1
fi
start
token=$(cat "$root/data/access_token")
key=$(curl -sf http://127.0.0.1:8080/v2/organizations -H "Authorization: Bearer $token" -H 'Content-Type: application/json' -d '{"org_name":"Image"}' |
  sed 's/.*"api_key":"\([^"]*\)".*/\1/')
now=$(date +%s)
curl -sf http://127.0.0.1:4318/v1/traces -H "Authorization: Bearer $key" -H 'Content-Type: application/json' -d '{"resourceSpans":[{"scopeSpans":[{"spans":[
  {"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174","name":"in a container","startTimeUnixNano":"'$now'000000000","endTimeUnixNano":"'$now'500000000"}]}]}]}' >/dev/null
kill -9 $pid
wait $pid 2>/dev/null || true
start
curl -sf "http://127.0.0.1:8080/v2/warehouse/spans?from_timestamp_sec=$((now - 60))" -H "Authorization: Bearer $key" | grep -q 'in a container' ||
  { echo "an acknowledged span is gone" >&2; exit 1; }
kill -TERM $pid
wait $pid || { echo "it ended with $?" >&2; exit 1; }
INNER
echo "$image runs as $user on a read-only root, keeps what it acknowledged, and ends when told"
