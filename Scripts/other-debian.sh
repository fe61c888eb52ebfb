#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds and tests this checkout in a chroot of another Debian suite, against the C libraries of that suite:
#
#   Scripts/other-debian.sh SUITE [build|quick|all|asan]
#
#   build  builds the tool and runs `jsonrpc demo`, without SwiftNIO (the trait AsyncHTTPClient), as in the other parts
#   quick  runs SocketsTests, WebSocketTests and JSONRPCWebSocketTests as well
#   all    runs jsonrpcTests and PeerTests as well (default)
#   asan   runs the tests of `make asan` instead
#
# The chroot lives in .tools/debian-SUITE and is reused. It gets the Swift toolchain of this machine, and its own copy of
# the sources and of the resolved packages, so that a second run builds incrementally. Run it as root on a Debian
# machine. DEBIAN_MIRROR overrides the package mirror; the default is the mirror in this machine's apt sources.
#
# All mounts and processes live in namespaces of their own. They end with this script, even if it is killed.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

log() { echo "other-debian: $*" >&2; }
die() { log "$*"; exit 1; }

suite="${1:-}"
part="${2:-all}"
[[ "$suite" =~ ^[a-z]+$ ]] && [[ "$part" =~ ^(build|quick|all|asan)$ ]] && [ $# -le 2 ] || {
    echo "usage: $0 SUITE [build|quick|all|asan]" >&2
    exit 2
}
[ "$(id -u)" -eq 0 ] || die "root is needed to make a chroot and to mount into it: sudo $0 $*"
command -v swift >/dev/null || die "there is no 'swift' in the path"

if [ "${OTHER_DEBIAN_INSIDE:-}" != yes ]; then
    if ! command -v debootstrap >/dev/null || ! command -v rsync >/dev/null; then
        command -v apt-get >/dev/null || die "debootstrap and rsync are missing, and there is no apt-get to install them"
        log "installing debootstrap and rsync"
        timeout 5m apt-get update -qq
        DEBIAN_FRONTEND=noninteractive timeout 5m apt-get install -y -qq --no-install-recommends debootstrap rsync >&2
    fi
    mkdir -p .tools
    # Two runs in one chroot would overwrite each other's sources.
    exec 9>".tools/debian-$suite.lock"
    flock --nonblock 9 || die "another run uses .tools/debian-$suite"
    OTHER_DEBIAN_INSIDE=yes exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$suite" "$part"
fi
# This shell is the first process of its namespace, which ignores signals that it has no handler for.
trap 'exit 130' INT
trap 'exit 143' TERM HUP

root="$PWD/.tools/debian-$suite"
# The same path in every chroot; the build directory contains absolute paths.
copy=/swift-jsonrpc
toolchain="$(swift -print-target-info | sed -n 's|.*"runtimeResourcePath": "\(.*\)/lib/swift".*|\1|p')"
[[ "$toolchain" == /*/usr ]] || die "the Swift toolchain is in '$toolchain': it must be in a directory of its own, such as /opt/swift/usr"

# What the package needs, and what the toolchain needs to run.
packages=ca-certificates,libwebsockets-dev,libssl-dev,pkgconf,gcc,g++,libc6-dev,make,git,libxml2,libcurl4t64,libedit-dev
packages+=,binutils,libncurses6,libsqlite3-0,zlib1g-dev

# Removes a directory tree, unless something is mounted below it.
remove_tree() {
    [ -e "$1" ] || return 0
    if awk -v tree="$1" '$5 == tree || index($5, tree "/") == 1 { found = 1 } END { exit !found }' /proc/self/mountinfo; then
        die "something is mounted below $1: unmount it first"
    fi
    rm -rf --one-file-system "$1"
}

# Makes the chroot, unless one with this description is there.
make_chroot() {
    local description
    description="$suite $packages"
    if [ "$(cat "$root.made" 2>/dev/null)" = "$description" ] && [ -d "$root/usr" ]; then return; fi
    local uri
    uri="$(Scripts/debian-mirror.sh)"
    log "making a chroot of $suite from $uri in .tools/debian-$suite"
    rm -f "$root.made"
    remove_tree "$root"
    # The settings of apt which decide whether packages can be had here.
    eval "$(apt-config shell http_proxy Acquire::http::Proxy https_proxy Acquire::https::Proxy)"
    http_proxy="${http_proxy:-}" https_proxy="${https_proxy:-}" timeout --foreground 20m \
        debootstrap --variant=minbase --include="$packages" "$suite" "$root" "$uri" >"$root.log" 2>&1 || {
        tail -n 20 "$root.log" >&2
        [ ! -e "$root/debootstrap/debootstrap.log" ] || tail -n 20 "$root/debootstrap/debootstrap.log" >&2
        die "debootstrap could not make the chroot (log: .tools/debian-$suite.log)"
    }
    apt-config dump Acquire::http Acquire::https Acquire::Check-Valid-Until Acquire::Check-Date |
        grep -v ' "";$' >"$root/etc/apt/apt.conf.d/90host" || true
    echo "$description" >"$root.made"
}

# Gives the chroot this machine's toolchain, names, certificates and devices.
mount_chroot() {
    mkdir -p "$root$toolchain"
    mount --bind -o ro "$toolchain" "$root$toolchain"
    mount --rbind /dev "$root/dev"
    mount -t proc proc "$root/proc"
    mount -t tmpfs tmpfs "$root/tmp"
    # Without /etc/hosts, `localhost` has no address.
    cp -L /etc/hosts /etc/nsswitch.conf /etc/resolv.conf "$root/etc/"
    [ ! -e /etc/pip.conf ] || cp -L /etc/pip.conf "$root/etc/"
    if [ -d /usr/local/share/ca-certificates ]; then
        rsync -rL /usr/local/share/ca-certificates "$root/usr/local/share/"
        inside update-ca-certificates >/dev/null 2>&1
    fi
    echo "$toolchain/lib/swift/linux" >"$root/etc/ld.so.conf.d/swift.conf"
    inside ldconfig
}

# Copies the sources and the resolved packages. What the chroot has built stays.
copy_sources() {
    [ -e Package.resolved ] && [ -d .build/checkouts ] || timeout 15m swift package resolve
    mkdir -p "$root$copy"
    rsync -a --delete --exclude=/.build --exclude=/.tools --exclude=/.git --exclude=/Benchmarks/.build \
        ./ "$root$copy/"
    local scratch
    # `make asan` has a build directory of its own.
    for scratch in .build .build/asan; do
        mkdir -p "$root$copy/$scratch"
        rsync -a --delete .build/checkouts .build/repositories "$root$copy/$scratch/"
        # Rewritten by each build, so it is compared by its content.
        rsync -a --checksum .build/workspace-state.json "$root$copy/$scratch/"
    done
}

# Runs a command in the chroot, in the copy of the sources, with an environment of its own.
inside() {
    local name forwarded=()
    for name in $(compgen -e | grep -E '^(PIP_.*|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY|TERM|JSONRPC_TEST_TARGETS)$'); do
        forwarded+=("$name=${!name}")
    done
    chroot "$root" /usr/bin/env -i HOME=/root LANG=C.UTF-8 \
        PATH="$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" "${forwarded[@]}" \
        sh -c "cd $copy 2>/dev/null || cd /; exec \"\$@\"" sh "$@"
}

# Runs one part. The report at the end says how long each part took, and which part failed.
took=()
current=preparation
timed() {
    local start="$SECONDS"
    current="$1"
    shift
    "$@"
    took+=("$(printf '%5d s  %s' "$((SECONDS - start))" "$current")")
}

# Without SwiftNIO, which takes long to build and does not depend on the C libraries of the suite.
options=(--disable-automatic-resolution --disable-sandbox --disable-default-traits "${build_options[@]}")
build() { inside timeout --foreground "$1" swift build "${options[@]}" "${@:2}"; }
demo() { inside timeout --foreground 2m .build/debug/jsonrpc demo; }
# The embedded server, and a run of calls against it: the first line of `serve` is its port.
serve_and_bench() {
    # shellcheck disable=SC2016 # Expanded in the chroot.
    inside timeout --foreground 2m bash -ec '
        coproc serving { exec .build/debug/jsonrpc serve --port 0; }
        read -r port <&"${serving[0]}"
        .build/debug/jsonrpc bench "ws://127.0.0.1:$port" echo "[1]" --concurrency 64 --requests 10000
        kill -INT "$serving_PID"
        wait "$serving_PID"'
}
run_tests() { inside Scripts/run-tests.sh --skip-build "${options[@]}" -- "$@"; }
report() {
    local status=$?
    [ "${#took[@]}" -eq 0 ] || printf 'other-debian: %s\n' "${took[@]}" >&2
    [ "$status" -eq 0 ] || log "$current FAILED on Debian $suite (exit status $status)"
}
trap report EXIT

timed "chroot" make_chroot
mount_chroot
timed "copy of the sources" copy_sources
log "$suite: libwebsockets $(inside pkgconf --modversion libwebsockets), OpenSSL $(inside pkgconf --modversion openssl)," \
    "$(inside ldd --version | head -n 1)"
timed "build of jsonrpc" build 40m --product jsonrpc
timed "jsonrpc demo" demo
timed "jsonrpc serve and bench" serve_and_bench
targets=()
case "$part" in
    quick) targets=(SocketsTests WebSocketTests JSONRPCWebSocketTests) ;;
    all)
        targets=(SocketsTests WebSocketTests JSONRPCWebSocketTests jsonrpcTests PeerTests)
        timed "programs for the tests" inside timeout --foreground 15m Scripts/install-test-peers.sh
        ;;
    asan) timed "make asan" inside timeout --foreground 60m Scripts/sanitize.sh address ;;
esac
if [ "${#targets[@]}" -gt 0 ]; then
    # The manifest then has only these test targets and what they depend on.
    export JSONRPC_TEST_TARGETS="${targets[*]}"
    timed "build of the tests" build 60m --product swift-jsonrpcPackageTests
    timed "${targets[*]}" run_tests "${targets[@]}"
fi
log "$part passed on Debian $suite"
