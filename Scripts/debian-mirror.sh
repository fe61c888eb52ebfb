#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Prints the mirror that this Debian machine takes the packages of its own suite from. DEBIAN_MIRROR overrides it; on
# other systems it is deb.debian.org.
set -euo pipefail

if [ -n "${DEBIAN_MIRROR:-}" ]; then
    echo "$DEBIAN_MIRROR"
    exit
fi
codename="$(. /etc/os-release && echo "${VERSION_CODENAME:-none}")"
lists="$(mktemp -d)"
trap 'rmdir "$lists"/* "$lists" 2>/dev/null || true' EXIT
# apt reads its own sources, whichever of the two formats they have. Without lists, it names everything it would fetch.
found="$(timeout 1m apt-get update --print-uris -o Dir::State::lists="$lists" 2>/dev/null |
    sed -nE "s#^'((https?|file):[^']*/debian)/+dists/$codename/main/binary-.*#\1#p" | head -n 1)" || true
echo "${found:-http://deb.debian.org/debian}"
