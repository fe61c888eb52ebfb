#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Runs test targets one after the other, each in a process of its own: one that does not end within 15 minutes is killed
# and has failed, and what hangs says so there. (Few tests of a process run at a time: Tests/Support/TestTurns.)
#
#   Scripts/run-tests.sh [OPTION OF swift test …] -- all | TARGET[.SUITE[/TEST]] …
set -euo pipefail
cd "$(dirname "$0")/.."

# Swift Testing keeps the backtrace of each error that is thrown. Tests of memory would take that for growth.
export SWT_SWIFT_ERROR_BACKTRACING_ENABLED=0

options=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
[ $# -gt 1 ] || { echo "usage: $0 [OPTION …] -- all | TARGET[.SUITE[/TEST]] …" >&2; exit 2; }
shift
targets=("$@")
if [ "${targets[0]}" = all ]; then
    mapfile -t targets < <(find Tests -mindepth 2 -maxdepth 2 -name '*Tests' -printf '%f\n' | LC_ALL=C sort)
fi

failed=()
tests=0
findings=$(mktemp)
trap 'rm -f "$findings"' EXIT
for target in "${targets[@]}"; do
    echo "=== $(date -u +%H:%M:%S) $target"
    log=$(mktemp)
    if ! timeout --kill-after=10s 15m swift test "${options[@]}" --filter "^${target}[./(]" 2>&1 | tee "$log"; then
        failed+=("$target")
        # Again at the end, where whoever has only the last lines of a long log finds it.
        {
            echo "--- $target"
            grep -aE -A 2 '✘|Fatal error|error:|corruption|double free|Assertion' "$log" | grep -avE '^(--|[◇✔])' |
                cut -c1-400 | tail -20
            grep -aE -A 8 'ThreadSanitizer:|AddressSanitizer:' "$log" | head -12
        } >>"$findings" || true
    elif ! grep -qE 'Test run with [1-9][0-9]* tests?' "$log"; then
        echo "run-tests: $target ran no test" >&2
        failed+=("$target")
    fi
    count=$(grep -aoE 'Test run with [0-9]+ test' "$log" | tail -n 1 | grep -oE '[0-9]+') || count=0
    tests=$((tests + count))
    rm -f "$log"
done
echo "run-tests: $tests tests of ${#targets[@]} targets in $((SECONDS / 60)) min $((SECONDS % 60)) s" >&2
if [ ${#failed[@]} -gt 0 ]; then
    cat "$findings" >&2
    echo "run-tests: failed: ${failed[*]}" >&2
    exit 1
fi
