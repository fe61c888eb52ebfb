#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Runs the steps of the last stage of Examples/Deploying/Dockerfile in a chroot, and starts the program there. It shows that
# the image has what a program needs, on machines without Docker. The first stage is the caller's:
#
#   swift build -c release --static-swift-stdlib --product FirstServer
#   Scripts/dockerfile-in-chroot.sh .build/release/FirstServer
#
# The program has to handle SIGTERM, to print something, and to end with the status 0. Run it as root on Debian. The
# chroot is in .tools/dockerfile, and is made anew each time.
set -euo pipefail
cd "$(dirname "$0")/.."

die() { echo "dockerfile-in-chroot: $*" >&2; exit 1; }
[ $# -eq 1 ] && [ -x "$1" ] || die "usage: $0 PROGRAM"
[ "$(id -u)" -eq 0 ] || die "root is needed to make a chroot"
if [ "${IN_NAMESPACE:-}" != yes ]; then
    # The mounts and the processes end with this script.
    IN_NAMESPACE=yes exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$1"
fi

program="$1"
root="$PWD/.tools/dockerfile"
user=root
inside() { chroot "$root" /usr/bin/env -i HOME=/ LANG=C.UTF-8 PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"; }

from() {
    local suite="${1#debian:}"
    [ "$suite" != "$1" ] || die "the last stage is not from Debian: $1"
    Scripts/bare-chroot.sh "${suite%-slim}" "$root"
}

# Lines that are continued are joined, and only the last stage is kept.
steps="$(sed -e ':join' -e '/\\$/N; s/\\\n *//; t join' Examples/Deploying/Dockerfile | grep -v '^#' |
    awk '/^FROM/ { stage = "" } { stage = stage $0 "\n" } END { printf "%s", stage }')"
while read -r step arguments; do
    [ -n "$step" ] || continue
    echo "dockerfile-in-chroot: $step $arguments" >&2
    case "$step" in
        FROM) from "${arguments%% *}" ;;
        RUN) inside DEBIAN_FRONTEND=noninteractive sh -ec "$arguments" >>"$root.log" 2>&1 </dev/null ||
            { tail -n 20 "$root.log" >&2; die "the step failed"; } ;;
        COPY) install -m 755 "$program" "$root${arguments##* }" ;;
        USER) user="$arguments" ;;
        ENTRYPOINT) entry="$(python3 -c 'import json, sys; print(json.loads(sys.argv[1])[0])' "$arguments")" ;;
        *) die "unknown step: $step" ;;
    esac
done <<<"$steps"

echo "dockerfile-in-chroot: $(du -sh --one-file-system "$root" | cut -f 1) in the image" >&2
chroot --userspec="$user" "$root" "$entry" >"$root.out" &
pid=$!
# The output is buffered, so a handler of SIGTERM shows that the program has started: before, the signal would end it.
for _ in $(seq 100); do
    caught="$(awk '/^SigCgt:/ { print $2 }' "/proc/$pid/status" 2>/dev/null)" || true
    [ -n "$caught" ] || break
    ((16#$caught >> 14 & 1)) && break
    sleep 0.1
done
kill -TERM "$pid" 2>/dev/null || true
status=0
wait "$pid" || status=$?
cat "$root.out"
[ "$status" -eq 0 ] && [ -s "$root.out" ] || die "the program ended with the status $status"
echo "dockerfile-in-chroot: the program served, and ended after SIGTERM" >&2
