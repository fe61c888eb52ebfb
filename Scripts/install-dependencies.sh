#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Installs the C libraries that the package builds on, from the distribution's packages. Does nothing, and needs no
# rights, where they are there already.
set -euo pipefail

missing=()
command -v pkg-config >/dev/null || missing+=(pkg-config)
[ -e /usr/include/libwebsockets.h ] || pkg-config --exists libwebsockets 2>/dev/null || missing+=(libwebsockets-dev)
[ -e /usr/include/openssl/ssl.h ] || pkg-config --exists openssl 2>/dev/null || missing+=(libssl-dev)
[ -e /usr/include/zlib.h ] || pkg-config --exists zlib 2>/dev/null || missing+=(zlib1g-dev)
[ -e /usr/include/histedit.h ] || missing+=(libedit-dev)

if [ "${#missing[@]}" -gt 0 ]; then
    if ! command -v apt-get >/dev/null; then
        echo "install-dependencies: missing ${missing[*]}, and there is no apt-get here: install them by hand." >&2
        exit 1
    fi
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            echo "install-dependencies: missing ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
            exit 1
        fi
        as_root=(sudo)
    fi
    echo "install-dependencies: installing ${missing[*]} with apt-get" >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}"
fi

if ! pkg-config --atleast-version=4.1 libwebsockets; then
    echo "install-dependencies: libwebsockets $(pkg-config --modversion libwebsockets) is too old: 4.1 is needed." >&2
    exit 1
fi
if ! command -v swift >/dev/null; then
    echo "install-dependencies: there is no 'swift' in the path: install a toolchain from https://www.swift.org/install" >&2
    exit 1
fi
echo "install-dependencies: libwebsockets $(pkg-config --modversion libwebsockets), $(swift --version 2>/dev/null | head -n 1)" >&2
