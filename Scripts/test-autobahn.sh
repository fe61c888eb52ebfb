#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Runs an echo client on the WebSocket module, with each engine, against the fuzzing server of Autobahn|Testsuite, and
# prints the results as tables. Fails when a case failed or did not run. Takes patterns of cases; the default is all of 1
# to 10:
#
#   Scripts/test-autobahn.sh
#   Scripts/test-autobahn.sh '6.*' 9.1.1
#   AUTOBAHN_COMPRESSION=1 Scripts/test-autobahn.sh      all cases, also 12 and 13, with permessage-deflate offered, which
#                                                        the engine libwebsockets does not support
#   AUTOBAHN_EXCLUDE='9.*' Scripts/test-autobahn.sh      without those
#
# The reports are in .build/autobahn. The server listens on all addresses, so it runs in a network namespace of its own.
# That needs root, or a kernel which lets users make namespaces.
set -euo pipefail
cd "$(dirname "$0")/.."

log() { echo "test-autobahn: $*" >&2; }
die() { log "$*"; exit 1; }
port=9001
output="$PWD/.build/autobahn"

# Prints words as the members of an array in JSON.
json_strings() {
    python3 -c 'import json, sys; print(json.dumps([word for argument in sys.argv[1:] for word in argument.split()]))' "$@"
}

prepare() {
    Scripts/install-dependencies.sh
    Scripts/autobahn/install.sh
    swift build --product autobahn-client
    rm -rf "$output"
    mkdir -p "$output"
    local cases=("$@") excluded=("${AUTOBAHN_EXCLUDE:-}")
    if [ "${#cases[@]}" -eq 0 ]; then
        cases=('*')
        [ -n "${AUTOBAHN_COMPRESSION:-}" ] || excluded+=('12.*' '13.*')
    fi
    cat >"$output/server.json" <<CONFIGURATION
{"url": "ws://127.0.0.1:$port", "webport": 0, "outdir": "$output/reports",
 "cases": $(json_strings "${cases[@]}"), "exclude-cases": $(json_strings "${excluded[@]}"), "exclude-agent-cases": {}}
CONFIGURATION
}

# Runs the client, with an agent and options.
run_client() {
    "$client" "ws://127.0.0.1:$port" "$@" >>"$output/client.log" 2>&1 || {
        tail -n 20 "$output/client.log" >&2
        die "the client failed"
    }
}

# Runs server and client in this process's namespaces.
run() {
    local client="$1" server
    ip link set lo up || die "the loopback interface could not be brought up"
    .tools/autobahn/python/bin/wstest --mode fuzzingserver --spec "$output/server.json" >"$output/server.log" 2>&1 &
    server=$!
    until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do
        kill -0 "$server" 2>/dev/null || { cat "$output/server.log" >&2; die "the fuzzing server did not start"; }
        sleep 0.2
    done
    if [ -n "${AUTOBAHN_COMPRESSION:-}" ]; then
        run_client builtIn --compression
    else
        run_client builtIn
        run_client libwebsockets --engine=libwebsockets
    fi
    kill "$server"
}

if [ "${1:-}" = --in-namespace ]; then
    run "$2"
    exit
fi
command -v ip >/dev/null || PATH="$PATH:/usr/sbin:/sbin"
command -v ip >/dev/null || die "'ip' (package iproute2) is needed"
namespaces=(--net --pid --fork --kill-child --mount --mount-proc)
[ "$(id -u)" -eq 0 ] || namespaces+=(--user --map-root-user)
unshare "${namespaces[@]}" true || die "the kernel refuses a network namespace: run this script as root"

prepare "$@"
client="$(swift build --show-bin-path)/autobahn-client"
SECONDS=0
# 1 to 10 take half a minute for each engine, 12 and 13 four minutes and more.
# In the foreground, so that a signal to this script's process group reaches the namespace.
timeout --foreground --kill-after=10s 30m unshare "${namespaces[@]}" "$0" --in-namespace "$client" || die "no result after $SECONDS s"
count="$(sed -n 's/^cases: //p' "$output/client.log" | tail -n 1)"
log "$count cases in $SECONDS s; reports: .build/autobahn/reports/index.html"
python3 Scripts/autobahn/report.py "$output/reports/index.json" "$count" builtIn
[ -z "${AUTOBAHN_COMPRESSION:-}" ] || exit 0
# libwebsockets answers one of ten PINGs that arrive together: in 2.10 always, and in 2.11, which sends them in pieces, if
# the machine joins the pieces.
python3 Scripts/autobahn/report.py "$output/reports/index.json" "$count" libwebsockets 2.10 2.11
