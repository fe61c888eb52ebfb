#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds a Debian package of the tool, .build/deb/jsonrpc_VERSION_ARCHITECTURE.deb, and prints its path. No root is needed.
#
# libwebsockets is a part of the program: Debian 12 has libwebsockets.so.17 and Debian 13 libwebsockets.so.19, so no
# program that shares it runs on both. All other C libraries are shared, so that the system updates OpenSSL. Build the
# package on the oldest suite that it is for: it depends on at least the C library of the suite that it is built on.
#
# DEBFULLNAME and DEBEMAIL name the maintainer; by default that is git's user. BUILD_OPTIONS: see build-tool.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
umask 022

log() { echo "deb: $*" >&2; }
for command in dpkg-deb dpkg-shlibdeps; do
    command -v "$command" >/dev/null || { log "there is no $command: install dpkg-dev"; exit 1; }
done

tool="$(Scripts/build-tool.sh --portable)"
version="$("$tool" --version | sed -nE '1s/^[^0-9]*([0-9][^ ,]*).*/\1/p')-1"
architecture="$(dpkg --print-architecture)"
maintainer="${DEBFULLNAME:-$(git config user.name || id -un)} <${DEBEMAIL:-$(git config user.email || echo root@localhost)}>"
# A package that is made again from one build is equal to the first.
SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
export SOURCE_DATE_EPOCH

mkdir -p .build/deb
work="$(mktemp -d "$PWD/.build/deb/work.XXXXXX")"
trap 'rm -rf "$work"' EXIT
root="$work/root"
PREFIX=/usr DESTDIR="$root" ZSH_COMPLETIONS=/usr/share/zsh/vendor-completions JSONRPC_TOOL="$tool" Scripts/install.sh
gzip -9n "$root"/usr/share/man/man1/*.1

# The licenses of the program's parts. A package is a part if the program was linked with one of its modules.
copyright() {
    local package module modules file
    modules="$(grep -oE '[^/]+\.build/' .build/tool/release/jsonrpc.product/Objects.LinkFileList | sort -u)"
    cat Packaging/copyright
    for package in .build/tool/checkouts/*/; do
        for module in "$package"Sources/*/; do
            grep -qxF "$(basename "$module").build/" <<<"$modules" || continue
            grep -q 'Apache License' "$package"LICENSE* || { log "$package is not under the Apache License"; return 1; }
            heading "The Swift package $(basename "$package")"
            printf 'Licensed under the Apache License, Version 2.0.\n'
            while IFS= read -r -d '' file; do
                printf '\n'
                cat "$file"
            done < <(find "$package" \( -name NOTICE.txt -o -path '*/Sources/*/LICENSE*' \) -print0 | sort -z)
            break
        done
    done
    heading "libwebsockets"
    cat /usr/share/doc/libwebsockets-dev/copyright
}
heading() { printf '\n%s\n%s\n\n' "$1" "${1//?/-}"; }

documents="$root/usr/share/doc/jsonrpc"
install -d "$documents"
copyright >"$documents/copyright"
gzip -9nc CHANGELOG.md >"$documents/changelog.gz"
gzip -9nc >"$documents/changelog.Debian.gz" <<END
jsonrpc ($version) unstable; urgency=medium

  * Package version ${version%-*}, whose changes are in changelog.gz.

 -- $maintainer  $(date -uR -d "@$SOURCE_DATE_EPOCH")
END

# dpkg-shlibdeps reads debian/control, of which it needs little.
install -d "$work/debian" "$root/DEBIAN"
printf 'Source: jsonrpc\n\nPackage: jsonrpc\nArchitecture: any\n' >"$work/debian/control"
depends="$(cd "$work" && dpkg-shlibdeps -O root/usr/bin/jsonrpc | sed -n 's/^shlibs:Depends=//p')"
[ -n "$depends" ] || { log "dpkg-shlibdeps found no dependency"; exit 1; }
cat >"$root/DEBIAN/control" <<END
Package: jsonrpc
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f 1)
Depends: $depends
Recommends: ca-certificates
Static-Built-Using: $(dpkg-query -W -f '${source:Package} (= ${source:Version})' libwebsockets-dev)
Section: net
Priority: optional
Description: command-line tool for JSON-RPC 2.0 over WebSocket and HTTP
 jsonrpc calls methods, sends notifications and batches, and prints results as
 JSON. It opens a prompt on a connection, serves methods for tests, records and
 replays sessions, and measures the throughput and the latency of a server.
 .
 It contains libwebsockets and Swift's runtime. OpenSSL is shared.
END
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)

package="$PWD/.build/deb/jsonrpc_${version}_$architecture.deb"
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >&2
if command -v lintian >/dev/null; then
    # No bug asks for this package, since it is not in Debian. SwiftNIO has zlib in it. The lintian of Debian 12 does not
    # know Static-Built-Using.
    lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs,embedded-library,unknown-field \
        "$package" >&2
else
    log "no lintian here, so the package was not checked"
fi
echo "$package"
