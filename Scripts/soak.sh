#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Connects, makes ten calls and closes, 10 000 times over ws and 1000 times over wss, with each engine, in a process each,
# and prints what the process holds before, after 1000 connections to warm up, and at the end. Fails when descriptors,
# threads or allocated memory have grown. `make test` runs a tenth of it. Takes another factor than 10: Scripts/soak.sh 100
#
# Then a client under load loses its connection each second, for SOAK_SECONDS (600) with each engine. Fails when
# descriptors, threads or allocated memory have grown in the last quarter of the time. `make test` runs 20 seconds of it.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/install-dependencies.sh
swift build --build-tests
log=$(mktemp)
trap 'rm -f "$log"' EXIT
SOAK_FACTOR="${1:-10}" swift test --skip-build --filter '^JSONRPCWebSocketTests\.SoakTests' 2>&1 | tee "$log"
lines=$(grep -c '^soak: wss\?: after' "$log") || true
[ "$lines" -eq 8 ] || { echo "soak: $lines of 8 lines of figures were printed" >&2; exit 1; }

SOAK_SECONDS="${SOAK_SECONDS:-600}" SWT_SWIFT_ERROR_BACKTRACING_ENABLED=0 \
    swift test --skip-build --filter '^JSONRPCWebSocketTests\.SessionSoakTests' 2>&1 | tee "$log"
lines=$(grep -c '^soak: session: .* quarter' "$log") || true
[ "$lines" -eq 4 ] || { echo "soak: $lines of 4 lines of figures were printed" >&2; exit 1; }
