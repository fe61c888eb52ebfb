#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Makes a chroot with a bare Debian, anew, and mounts its /proc. It has no more than apt, and this machine's names and
# settings of apt. Other scripts call it, as root and in a mount namespace, with which the mount ends:
#
#   bare-chroot.sh SUITE FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."

suite="$1"
root="$2"
command -v debootstrap >/dev/null ||
    DEBIAN_FRONTEND=noninteractive timeout 5m apt-get install -y -qq --no-install-recommends debootstrap >&2
rm -rf --one-file-system "$root"
mkdir -p "$root"
timeout 20m debootstrap --variant=minbase "$suite" "$root" "$(Scripts/debian-mirror.sh)" >"$root.log" 2>&1 || {
    tail -n 20 "$root.log" >&2
    echo "bare-chroot: debootstrap failed" >&2
    exit 1
}
cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
apt-config dump Acquire::http Acquire::https Acquire::Check-Valid-Until | grep -v ' "";$' \
    >"$root/etc/apt/apt.conf.d/90host" || true
mount -t proc proc "$root/proc"
