#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Measures notifications beside a consumer for Node, round trips beside a load of notifications, and the memory of idle
# sessions, calls and subscriptions. It prints tables with the aims beside the figures.
# Arguments go to Benchmarks/Peers/streaming.py: --rounds N, --notifications N, --only PART, --json FILE.
set -euo pipefail
cd "$(dirname "$0")/.."
BENCHMARK_COMMAND="Scripts/${0##*/}${*:+ $*}"

Scripts/install-test-peers.sh --benchmarks
build=(swift build --package-path Benchmarks -c release --product stream-probe)
"${build[@]}"
# Not before: the package manager compiles everything again when the environment has changed.
export BENCHMARK_COMMAND
exec python3 Benchmarks/Peers/streaming.py --probe "$("${build[@]}" --show-bin-path)/stream-probe" "$@"
