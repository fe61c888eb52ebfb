#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Shows that `make tsan` and `make asan` can fail: runs tests with a planted race and a planted overflow in the same
# way, and fails unless those fail by the sanitizer's own report. Without a sanitizer the same tests must pass.
set -euo pipefail
cd "$(dirname "$0")/SanitizerProof"

export ASAN_OPTIONS=detect_leaks=0
export TSAN_OPTIONS=halt_on_error=1
base="$PWD/../../.build/prove-sanitizers"
mkdir -p "$base"

# prove NAME TEST REPORT: `swift test --sanitize=NAME` on TEST must fail and print a line matching REPORT.
prove() {
    local sanitizer="$1" test="$2" report="$3" log="$base/$1.log"
    swift build --build-tests --sanitize="$sanitizer" --scratch-path "$base/$sanitizer" >"$log" 2>&1 || {
        cat "$log" >&2
        echo "prove-sanitizers: the planted faults do not build" >&2
        exit 1
    }
    if swift test --skip-build --sanitize="$sanitizer" --scratch-path "$base/$sanitizer" --filter "$test" >"$log" 2>&1; then
        cat "$log" >&2
        echo "prove-sanitizers: --sanitize=$sanitizer let the planted fault '$test' pass" >&2
        exit 1
    fi
    if ! grep -E "$report" "$log" >&2; then
        cat "$log" >&2
        echo "prove-sanitizers: --sanitize=$sanitizer failed, but not by finding '$report'" >&2
        exit 1
    fi
}

swift test --scratch-path "$base/none" >"$base/none.log" 2>&1 || {
    cat "$base/none.log" >&2
    echo "prove-sanitizers: the planted faults fail without a sanitizer too, so they prove nothing" >&2
    exit 1
}
prove thread PlantedFaults/dataRace 'WARNING: ThreadSanitizer: .*race'
prove address PlantedFaults/overflow 'ERROR: AddressSanitizer: heap-buffer-overflow'
echo "prove-sanitizers: both sanitizers see their planted fault, and the tests fail by it" >&2
