#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Measures a session beside clients in C and for Node, against a server in C in another process, and prints tables with
# the aims beside the figures. Four parts measure how processor time grows with the number of connections: connections,
# listener, idle and accepting. They need up to 10 200 descriptors (ulimit -Hn); idle takes 50 seconds a round. The part
# engines compares both engines, over TCP and TLS.
# Arguments go to Benchmarks/Peers/compare.py: --rounds N, --calls N, --only PART, --json FILE.
set -euo pipefail
cd "$(dirname "$0")/.."
BENCHMARK_COMMAND="Scripts/${0##*/}${*:+ $*}"

Scripts/install-test-peers.sh --benchmarks
# Both from the nested package, so that the library is compiled once.
build=(swift build --package-path Benchmarks -c release)
"${build[@]}" --product jsonrpc
"${build[@]}" --product session-probe
Benchmarks/Peers/build.sh
programs=$("${build[@]}" --show-bin-path)
# Not before: the package manager compiles everything again when the environment has changed.
export BENCHMARK_COMMAND
exec python3 Benchmarks/Peers/compare.py \
    --tool "$programs/jsonrpc" --probe "$programs/session-probe" --peers Benchmarks/.build/peers "$@"
