#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds the tool `jsonrpc` optimised, with Swift's runtime in it: it runs on machines without Swift. Prints its path.
#
#   build-tool.sh              libwebsockets stays shared, so that the system updates it
#   build-tool.sh --portable   libwebsockets is a part of the program, too, so that one program runs on every Debian
#                              whose OpenSSL has the same major version: the sonames of libwebsockets differ
#
# Without Swift in the path, as in `sudo make install`, the tool must have been built before. BUILD_OPTIONS adds options
# of `swift build`, such as `-j 1`.
set -euo pipefail
cd "$(dirname "$0")/.."

die() { echo "build-tool: $*" >&2; exit 1; }
needed() { objdump -p "$tool" | awk '$1 == "NEEDED" { print $2 }'; }

scratch=.build/tool
tool="$PWD/$scratch/release/jsonrpc"
read -ra options <<<"${BUILD_OPTIONS:-}"
case "${1:-}" in
'') ;;
--portable)
    archive="$(pkg-config --variable=libdir libwebsockets)/libwebsockets.a"
    [ -e "$archive" ] || die "there is no $archive, which Debian has in libwebsockets-dev"
    # The linker takes the first folder that has the library in either form. So SwiftPM gets descriptions of the system's
    # libraries without their folder, which the linker knows, and one of libwebsockets with the folder of the archive.
    archives="$PWD/$scratch/archives"
    mkdir -p "$archives"
    ln -sf "$archive" "$archives/"
    for name in libwebsockets zlib $(pkg-config --print-requires libwebsockets | cut -d ' ' -f 1); do
        sed -E '/^Libs/s/-L[^ ]+//g' "$(pkg-config --variable=pcfiledir "$name")/$name.pc" >"$archives/$name.pc"
    done
    sed -i "s|^Libs:|& -L$archives|" "$archives/libwebsockets.pc"
    options+=(--pkg-config-path "$archives")
    ;;
*) echo "usage: $0 [--portable]" >&2; exit 2 ;;
esac

if command -v swift >/dev/null; then
    Scripts/install-dependencies.sh >&2
    # The tool sends HTTP requests with AsyncHTTPClientTransport. The other transport would need libcurl.
    JSONRPC_WITHOUT_URLSESSION=yes swift build -c release --scratch-path "$scratch" --static-swift-stdlib \
        --product jsonrpc "${options[@]}" >&2
elif [ ! -x "$tool" ]; then
    die "there is no 'swift' in the path: first run $0 as a user who has it"
fi
libraries="$(needed)"
! grep -E '^lib(swift|Foundation|dispatch|curl)' <<<"$libraries" >&2 ||
    die "the tool needs these libraries of Swift or of URLSession"
[ "${1:-}" != --portable ] || ! grep ^libwebsockets <<<"$libraries" >&2 || die "the tool needs this library"
echo "$tool"
