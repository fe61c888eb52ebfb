#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Installs the Debian package of the tool into bare chroots of Debian 12 and 13, which have no Swift, and uses the tool
# there: `jsonrpc demo`, calls and batches over ws and wss with both engines, a call over HTTP, the manual, and the
# completions of three shells. Prints sizes and dependencies. Run it as root.
#
#   test-deb.sh [PACKAGE]      builds the package unless it is named
#
# SUITES overrides the suites. The chroots are .tools/deb-SUITE, and are made anew.
set -euo pipefail
cd "$(dirname "$0")/.."

die() { echo "test-deb: $*" >&2; exit 1; }
[ $# -le 1 ] || { echo "usage: $0 [PACKAGE]" >&2; exit 2; }
[ "$(id -u)" -eq 0 ] || die "root is needed to make a chroot"
if [ "${IN_NAMESPACE:-}" != yes ]; then
    package="$(realpath "${1:-$(Scripts/deb.sh)}")"
    # The mounts and the processes end with this script.
    IN_NAMESPACE=yes exec unshare --mount --pid --fork --kill-child --mount-proc "$0" "$package"
fi
package="$1"
mkdir -p .tools

variables=(HOME=/tmp LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive)
inside() { timeout --foreground 10m chroot "$root" /usr/bin/env -i "${variables[@]}" "$@"; }
user() { timeout --foreground 2m chroot --userspec=nobody:nogroup "$root" /usr/bin/env -i "${variables[@]}" "$@"; }
quietly() { "$@" >>"$root.log" 2>&1 </dev/null || { tail -n 20 "$root.log" >&2; die "$suite: '$*' failed"; }; }
packages() { inside dpkg-query -W -f '${Package}\n' | sort; }
size() { du -sm --one-file-system --exclude="$root/var" "$root" | cut -f 1; }
expect() { # WHAT EXPECTED FOUND
    [ "$2" = "$3" ] || die "$suite: $1: expected '$2', found '$3'"
    echo "test-deb: $suite: $1: passed" >&2
}

# Starts the tool's server and sets `port` and `server`.
serve() {
    coproc serving { exec chroot --userspec=nobody:nogroup "$root" /usr/bin/env -i "${variables[@]}" \
        jsonrpc serve --port 0 "$@"; }
    # Bash forgets the coprocess when it ends.
    # shellcheck disable=SC2154 # Assigned by coproc.
    server="$serving_PID"
    read -t 30 -r port <&"${serving[0]}" || die "$suite: the server does not start"
}
stop() {
    local status=0
    kill -INT "$server"
    timeout 30 tail --pid="$server" -f /dev/null || die "$suite: the server does not end"
    wait "$server" || status=$?
    expect "end of the server" 0 "$status"
}

test_tool() {
    local engine scheme options
    user jsonrpc --version | sed "s/^/test-deb: $suite: /" >&2
    quietly user jsonrpc demo
    echo "test-deb: $suite: jsonrpc demo: passed" >&2
    for engine in builtin libwebsockets; do
        for scheme in ws wss; do
            options=()
            [ "$scheme" = ws ] || options=(--cert /tmp/cert.pem --key /tmp/key.pem)
            serve --engine "$engine" "${options[@]}"
            options=()
            [ "$scheme" = ws ] || options=(--cacert /tmp/cert.pem)
            expect "call of $scheme with a server of the engine $engine" 19 \
                "$(user jsonrpc call "$scheme://localhost:$port" subtract 42 23 "${options[@]}" </dev/null)"
            expect "batch of $scheme with a server of the engine $engine" 100 \
                "$(seq 100 | sed 's/.*/{"id":&,"method":"echo","params":[&]}/' |
                    user jsonrpc batch "$scheme://localhost:$port" "${options[@]}" |
                    grep -cE '^\{.*"result":\[[0-9]+\]')"
            stop
        done
    done
}

# The server of the tool answers no POST, so the status of HTTP is the sign that HTTP works.
test_http() {
    local status=0
    serve
    user jsonrpc call "http://localhost:$port" echo >>"$root.log" 2>&1 </dev/null || status=$?
    expect "exit status of a POST that a WebSocket server refuses" 3 "$status"
    stop
}

test_manual() {
    local page pages=("$root"/usr/share/man/man1/jsonrpc*.1.gz)
    pages=("${pages[@]#"$root"}")
    expect "man -w jsonrpc" /usr/share/man/man1/jsonrpc.1.gz "$(user man -w jsonrpc)"
    expect "man -w jsonrpc call" /usr/share/man/man1/jsonrpc-call.1.gz "$(user man -w jsonrpc call | tail -n 1)"
    expect "warnings of man about ${#pages[@]} pages" "" \
        "$(user MANROFFSEQ= MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "${pages[@]}" 2>&1 >/dev/null)"
    # mandoc cannot read several compressed files.
    expect "warnings of mandoc about ${#pages[@]} pages" "" "$(for page in "${pages[@]}"; do
        gzip -dc "$root$page" | user mandoc -T lint -W warning 2>&1
    done)"
}

test_completions() {
    # shellcheck disable=SC2016 # Expanded in the chroot.
    expect "completion in bash" call "$(user bash -c '
        . /usr/share/bash-completion/bash_completion
        if declare -F _comp_load >/dev/null; then _comp_load jsonrpc; else _completion_loader jsonrpc; fi
        COMP_WORDS=(jsonrpc cal) COMP_CWORD=1 COMP_LINE="jsonrpc cal" COMP_POINT=11
        completer="$(complete -p jsonrpc | sed -n "s/.*-F \([^ ]*\).*/\1/p")"
        "$completer" jsonrpc cal jsonrpc
        printf "%s\n" "${COMPREPLY[@]}"')"
    # shellcheck disable=SC2016 # Expanded in the chroot.
    expect "completion in zsh" _jsonrpc "$(user zsh -fc 'autoload -Uz compinit; compinit -D; print $_comps[jsonrpc]')"
    expect "completion in fish" call "$(user fish -c 'complete -C "jsonrpc cal"' | cut -f 1)"
}

echo "test-deb: ${package##*/}: $(stat -c %s "$package") bytes" >&2
dpkg-deb --field "$package" Installed-Size Depends Recommends | sed 's/^/test-deb: /' >&2
for suite in ${SUITES:-bookworm trixie}; do
    root="$PWD/.tools/deb-$suite"
    Scripts/bare-chroot.sh "$suite" "$root"
    size="$(size)"
    packages >"$root.before"
    cp "$package" "$root/tmp/jsonrpc.deb"
    openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost \
        -keyout "$root/tmp/key.pem" -out "$root/tmp/cert.pem" 2>/dev/null
    chmod 644 "$root"/tmp/*.pem
    quietly inside apt-get update
    quietly inside apt-get install -y --no-install-recommends /tmp/jsonrpc.deb
    quietly inside apt-get clean
    installed="$(packages | comm -13 "$root.before" - | tr '\n' ' ')"
    echo "test-deb: $suite: installed ${installed% }, which take $(($(size) - size)) MB in all" >&2
    libraries="$(inside ldd /usr/bin/jsonrpc)"
    ! grep -E 'not found|swift|Foundation|curl' <<<"$libraries" >&2 || die "$suite: these libraries are unexpected"
    awk '{ print $1 }' <<<"$libraries" | tr '\n' ' ' | sed "s/^/test-deb: $suite: libraries: /; s/ \$/\n/" >&2
    test_tool
    test_http
    quietly inside apt-get install -y --no-install-recommends man-db mandoc bash-completion zsh fish
    test_manual
    test_completions
    quietly inside apt-get purge -y jsonrpc
    expect "files that a removal leaves" "" "$(find "$root"/usr "$root"/etc -name '*jsonrpc*')"
done
echo "test-deb: passed" >&2
