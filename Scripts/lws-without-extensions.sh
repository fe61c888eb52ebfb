#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds libwebsockets without extensions (LWS_WITHOUT_EXTENSIONS=ON, which is CMake's default and that of several
# distributions) from this Debian suite's source package, then builds the tool against it and runs `jsonrpc demo`. Such a
# library has no lws_extension_callback_pm_deflate, so this shows that the package inflates messages by itself.
# Everything is in .tools/lws-without-extensions, which is reused.
#
# Needs no deb-src lines in this machine's apt sources, and changes none of its package lists. DEBIAN_MIRROR overrides the
# mirror.
set -euo pipefail
cd "$(dirname "$0")/.."

log() { echo "lws-without-extensions: $*" >&2; }
die() { log "$*"; exit 1; }

folder="$PWD/.tools/lws-without-extensions"
prefix="$folder/prefix"
scratch="$PWD/.build/lws-without-extensions"
mkdir -p "$folder"
exec 9>"$folder/lock"
flock --nonblock 9 || die "another run uses .tools/lws-without-extensions"

# Installs the programs that unpack and build a source package.
install_programs() {
    local missing=() as_root=()
    command -v cmake >/dev/null || missing+=(cmake)
    command -v dpkg-source >/dev/null || missing+=(dpkg-dev)
    command -v cc >/dev/null || missing+=(gcc libc6-dev)
    command -v make >/dev/null || missing+=(make)
    [ "${#missing[@]}" -gt 0 ] || return 0
    command -v apt-get >/dev/null || die "missing ${missing[*]}, and there is no apt-get to install them"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "missing ${missing[*]}: run as root: apt-get install ${missing[*]}"
        as_root=(sudo)
    fi
    log "installing ${missing[*]}"
    "${as_root[@]}" timeout 5m apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive timeout 10m \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# Downloads and unpacks the source package, with lists and sources of apt which only this script uses.
fetch_source() {
    local state="$folder/apt" codename mirror options
    codename="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
    [ -n "$codename" ] || die "/etc/os-release names no suite"
    mirror="$(Scripts/debian-mirror.sh)"
    rm -rf "$state" "$folder/source"
    mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/sources" "$folder/source"
    echo "deb-src $mirror $codename main" >"$state/sources.list"
    options=(-o "Dir::State::lists=$state/lists" -o "Dir::Cache=$state/cache"
        -o "Dir::Etc::SourceList=$state/sources.list" -o "Dir::Etc::SourceParts=$state/sources"
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Languages=none)
    log "fetching the source package of libwebsockets from $mirror ($codename)"
    timeout 5m apt-get "${options[@]}" update -qq
    (cd "$folder/source" && timeout 5m apt-get "${options[@]}" source -qq libwebsockets) >"$folder/fetch.log" 2>&1 || {
        tail -n 20 "$folder/fetch.log" >&2
        die "apt-get could not fetch the source package of libwebsockets"
    }
}

# Debian's own options for what the package uses, apart from extensions.
build_library() {
    local source
    source="$(find "$folder/source" -mindepth 1 -maxdepth 1 -type d -name 'libwebsockets-*' | head -n 1)"
    [ -n "$source" ] || die "the source package has no directory libwebsockets-*"
    log "building $(basename "$source") with LWS_WITHOUT_EXTENSIONS=ON"
    rm -rf "$folder/build" "$prefix"
    {
        timeout 5m cmake -S "$source" -B "$folder/build" -DCMAKE_INSTALL_PREFIX="$prefix" -DCMAKE_INSTALL_LIBDIR=lib \
            -DCMAKE_BUILD_TYPE=RelWithDebInfo -DLWS_WITHOUT_EXTENSIONS=ON -DLWS_WITH_STATIC=OFF -DLWS_IPV6=ON \
            -DLWS_UNIX_SOCK=ON -DLWS_WITHOUT_TESTAPPS=ON -DLWS_WITH_MINIMAL_EXAMPLES=OFF -DDISABLE_WERROR=ON &&
            timeout 20m make -C "$folder/build" -j"$(nproc)" && make -C "$folder/build" install
    } >"$folder/build.log" 2>&1 || {
        tail -n 20 "$folder/build.log" >&2
        die "libwebsockets did not build (log: .tools/lws-without-extensions/build.log)"
    }
    rm -rf "$folder/build" "$folder/source" "$folder/apt"
    touch "$folder/built"
}

Scripts/install-dependencies.sh
if [ ! -e "$folder/built" ]; then
    install_programs
    fetch_source
    build_library
fi
library="$prefix/lib/libwebsockets.so"
if nm -D --defined-only "$library" | grep -q ' lws_extension_callback_pm_deflate$'; then
    die "$library has extensions, so it proves nothing: remove .tools/lws-without-extensions and run this again"
fi

# Directories that come before the system's, both when linking and when running.
export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
export LD_LIBRARY_PATH="$prefix/lib"
log "building jsonrpc against libwebsockets $(pkg-config --modversion libwebsockets) without extensions"
timeout 40m swift build --scratch-path "$scratch" --product jsonrpc
tool="$(swift build --scratch-path "$scratch" --show-bin-path)/jsonrpc"
ldd "$tool" | grep -F "$prefix" >&2 || die "jsonrpc was linked with another libwebsockets: $(ldd "$tool" | grep websockets)"
timeout 2m "$tool" demo
log "passed"
