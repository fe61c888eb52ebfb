#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Measures a session beside clients in C and for Node, against `jsonrpc serve` in another process, and prints a table.
# Arguments go to Benchmarks/Peers/compare.py: --rounds N, --calls N, --only PART, --json FILE.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/install-test-peers.sh --benchmarks
swift build -c release --product jsonrpc
swift build --package-path Benchmarks -c release --product session-probe
Benchmarks/Peers/build.sh
exec python3 Benchmarks/Peers/compare.py \
    --tool "$(swift build -c release --show-bin-path)/jsonrpc" \
    --probe "$(swift build --package-path Benchmarks -c release --show-bin-path)/session-probe" \
    --peers Benchmarks/.build/peers "$@"
