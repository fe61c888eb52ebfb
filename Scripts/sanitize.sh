#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Runs the tests that a sanitizer has something to say about: sanitize.sh thread | address
# What a sanitizer reports makes the test process, and so this script, fail.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

case "${1:-}" in
thread)
    targets=(
        TaskWaitsTests SessionMachineTests SessionRequestTests SessionBatchTests SessionStreamTests SessionServingTests
        SessionClientTests SessionChaosTests JSONRPCSessionTests JSONRPCTestingTests SocketsTests
        WebSocketTests JSONRPCWebSocketTests HTTPRequestsTests JSONRPCHTTPTests
    )
    scratch=.build/tsan
    # The load of the soaks makes connections of other tests late: they have a run of their own below. The models are
    # values that one thread computes; under the sanitizer they would keep the processors from the tests beside them.
    skip=(--skip SoakTests --skip SessionModelTests --skip ClientStateMachineTests)
    # The tests of lost connections and of hostile peers are smaller here.
    export CHAOS_SEEDS="${CHAOS_SEEDS:-5}" CHAOS_CALLS="${CHAOS_CALLS:-5}" HOSTILE_SEEDS="${HOSTILE_SEEDS:-3}"
    export STORM_RESTARTS="${STORM_RESTARTS:-20}" SOAK_SECONDS="${SOAK_SECONDS:-5}"
    export TSAN_OPTIONS="${TSAN_OPTIONS:-halt_on_error=1:suppressions=$PWD/Scripts/tsan-suppressions.txt}"
    ;;
address)
    targets=(SocketsTests WebSocketTests HTTPSyntaxTests WireJSONTests JSONAPITests)
    scratch=.build/asan
    skip=()
    # The test runner itself leaves a few hundred bytes behind, which would fail every run. Freed memory is kept from
    # reuse up to 8 MiB, not 256: tests that look at the resident memory would take it for growth.
    export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=0:quarantine_size_mb=8}"
    ;;
*)
    echo "usage: $0 thread | address" >&2
    exit 2
    ;;
esac

Scripts/install-dependencies.sh
echo "sanitize: $1, ${targets[*]} ${skip[*]}" >&2
# The manifest then has only these test targets and what they depend on. That saves four fifths of the build. SwiftNIO
# is not built either: the tests over AsyncHTTPClientTransport run without sanitizers only.
export JSONRPC_TEST_TARGETS="${targets[*]}"
options=(--sanitize="$1" --scratch-path "$scratch" --disable-default-traits "${build_options[@]}")
swift build --product swift-jsonrpcPackageTests "${options[@]}"
Scripts/run-tests.sh --skip-build "${options[@]}" "${skip[@]}" -- "${targets[@]}"
if [ "$1" = thread ]; then
    swift test --skip-build "${options[@]}" --filter '^JSONRPCWebSocketTests\.(Session)?SoakTests/'
fi
