#!/bin/sh
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Installs the programs which the tests talk to: Debian packages for all users of this machine, Python ones into
# .tools/python of this checkout. Does nothing, quickly, when all is there. Fails when anything is missing at the end.
#
#   Scripts/install-test-peers.sh               what `make test` needs
#   Scripts/install-test-peers.sh --benchmarks  what `make bench` needs beside it
set -eu
cd "$(dirname "$0")/.."

log() { echo "install-test-peers: $*" >&2; }
die() { log "$*"; exit 1; }

# Each line: a program or file which shows that the package is there, and the package.
wanted='aria2c aria2
nginx nginx-light
haproxy haproxy
openssl openssl
python3 python3
tmux tmux
chromium-headless-shell chromium-headless-shell'
case "${1:-}" in
    '') ;;
    --benchmarks)
        wanted="$wanted
node nodejs
/usr/share/nodejs/ws/package.json node-ws
cc gcc
pkg-config pkg-config
valgrind valgrind" ;;
    *) die "unknown option $1" ;;
esac

# nginx and haproxy live in /usr/sbin, which is not on every user's path.
PATH="$PATH:/usr/sbin:/sbin"

is_present() {
    case "$1" in
        /*) [ -e "$1" ] ;;
        *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

missing_packages() {
    echo "$wanted" | while read -r evidence package; do
        is_present "$evidence" || echo "$package"
    done
    # Debian keeps the part of Python that makes virtual environments in a package of its own.
    if is_present python3 && ! python3 -c 'import ensurepip, venv' 2>/dev/null; then echo python3-venv; fi
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null 2>&1; then sudo "$@"
    else die "root is needed for: $*"
    fi
}

# nginx and haproxy are wanted as programs, not as services of this machine: while they are installed, Debian's own
# switch (policy-rc.d) keeps them from being started, and afterwards systemd is told not to start them at boot.
install_packages() {
    log "installing $*"
    policy=/usr/sbin/policy-rc.d
    added_policy=
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
        as_root chmod 755 "$policy"
        added_policy=yes
    fi
    status=0
    { as_root apt-get update -qq &&
        as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >&2; } || status=$?
    [ -z "$added_policy" ] || as_root rm -f "$policy"
    [ "$status" = 0 ] || die "apt-get could not install: $*"
    [ -d /run/systemd/system ] || return 0
    for package in "$@"; do
        case "$package" in
            nginx-light) as_root systemctl disable --quiet nginx ;;
            haproxy) as_root systemctl disable --quiet haproxy ;;
        esac
    done
}

missing=$(missing_packages)
if [ -n "$missing" ]; then
    command -v apt-get >/dev/null 2>&1 || die "not a Debian system; install by hand:" $missing
    # shellcheck disable=SC2086 # one word per package is meant
    install_packages $missing
    # Installing python3 can show that python3-venv is missing too.
    missing=$(missing_packages)
    # shellcheck disable=SC2086
    [ -z "$missing" ] || install_packages $missing
    missing=$(missing_packages)
    [ -z "$missing" ] || die "still missing after the installation:" $missing
fi

# install_python ENVIRONMENT LIST MODULE…: the environment holds what the list names, and its modules can be imported.
# The stamp holds the list it was made from, so that a changed list is installed anew.
install_python() {
    environment=$1
    list=$2
    shift 2
    if ! cmp -s "$list" "$environment/installed.txt"; then
        log "installing Python peers into $environment"
        rm -rf "$environment"
        python3 -m venv "$environment"
        # 200 MB in all. It takes less than a minute, so a registry that stalls is a failure.
        timeout 10m "$environment/bin/python" -m pip install --quiet --disable-pip-version-check -r "$list" >&2 ||
            die "pip could not install $list within 10 minutes"
        cp "$list" "$environment/installed.txt"
    fi
    for module in "$@"; do echo "import $module"; done | "$environment/bin/python" -W ignore - ||
        die "$environment is broken: remove it and run this again"
}
install_python .tools/python Scripts/peers/requirements.txt \
    aiohttp_rpc django_filters eth eth_tester fastapi_jsonrpc jsonrpc jsonrpcserver mcp.server.websocket pyflakes pylsp \
    rest_framework_json_api uvicorn websockets
install_python .tools/python-operations Scripts/peers/requirements-operations.txt \
    aiosqlite fastapi_jsonapi sqlalchemy uvicorn
