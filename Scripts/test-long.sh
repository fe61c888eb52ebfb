#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# What takes longer than five minutes. First the codec: a million generated and damaged texts through WireJSON and
# Foundation, ten million doubles there and back, and what only a package trait brings. Then 100 callers that make 100
# calls each over connections that are lost at random: 1000 seeds (CHAOS_SEEDS) in memory, and 50 (CHAOS_SOCKET_SEEDS)
# over sockets. Then a session with a peer that sends messages but never answers a PING must live past 320 s.
# libwebsockets' own keepalive, which is not in use, ends such connections after 310 s. Before all that, a release build of
# everything without warnings.
#
# Takes the number of notifications to wait for, two a second; 660 unless told otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."
count="${1:-660}"

Scripts/install-dependencies.sh
Scripts/release-build.sh
# Optimized, and with the test targets that run here only.
release=(swift build -c release --traits DateFormatterSupport -Xswiftc -enable-testing)
JSONRPC_TEST_TARGETS="SessionMachineTests SessionChaosTests JSONRPCWebSocketTests WireJSONTests" \
    "${release[@]}" --product swift-jsonrpcPackageTests
tests="$("${release[@]}" --show-bin-path)/swift-jsonrpcPackageTests.xctest"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
# Runs the tests of a pattern. If there are none, that is a failure.
run() {
    "$tests" --testing-library swift-testing --filter "$1" 2>&1 | tee "$folder/log"
    grep -qE 'Test run with [1-9][0-9]* tests?' "$folder/log" || { echo "test-long: no test of $1 ran" >&2; exit 1; }
}
WIREJSON_DIFFERENTIAL=1000000 WIREJSON_DOUBLES=10000000 \
    run '^WireJSONTests\.(DifferentialTests|NumberTests|DateFormatterTests)'
export SWT_SWIFT_ERROR_BACKTRACING_ENABLED=0 CHAOS_CALLERS=100 CHAOS_CALLS=100
MODEL_WALKS="${MODEL_WALKS:-1000000}" run '^SessionMachineTests\.SessionModelTests'
CHAOS_SEEDS="${CHAOS_SEEDS:-1000}" run '^SessionChaosTests\.ChaosTests'
CHAOS_SEEDS="${CHAOS_SOCKET_SEEDS:-50}" run '^JSONRPCWebSocketTests\.SocketChaosTests'
swift build --product jsonrpc
tool="$(swift build --show-bin-path)/jsonrpc"

mkfifo "$folder/peer"
python3 Scripts/peers/talks_without_pong.py >"$folder/peer" &
peer=$!
trap 'kill "$peer" 2>/dev/null || true; rm -rf "$folder"' EXIT
exec 3<"$folder/peer"
read -r port <&3

echo "test-long: $count notifications, two a second, from a peer that never answers a PING" >&2
SECONDS=0
lines="$("$tool" listen "ws://127.0.0.1:$port/" --count "$count" | wc -l)"
elapsed=$SECONDS
read -r pings <&3
echo "test-long: $lines notifications in $elapsed s; $pings" >&2

if [ "$lines" -ne "$count" ]; then
    echo "test-long: $count notifications were expected" >&2
    exit 1
fi
if [ "$((elapsed * 2))" -lt "$((count - 2))" ]; then
    echo "test-long: that was too fast to prove anything" >&2
    exit 1
fi
if [ "$count" -ge 660 ] && [ "${pings##* }" -lt 10 ]; then
    echo "test-long: hardly any PINGs were sent, so nothing was left unanswered" >&2
    exit 1
fi
echo "test-long: passed" >&2
