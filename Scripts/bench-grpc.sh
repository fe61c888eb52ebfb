#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Measures calls, streams and large messages beside grpc-swift-2 over its NIO transport, and prints tables. The first
# build takes minutes: it fetches and compiles grpc-swift-2 and SwiftNIO.
# Arguments go to Benchmarks/GRPC/compare_grpc.py: --rounds N, --calls N, --only PART, --json FILE.
set -euo pipefail
cd "$(dirname "$0")/.."
BENCHMARK_COMMAND="Scripts/${0##*/}${*:+ $*}"

Scripts/install-dependencies.sh
build=(swift build --package-path Benchmarks/GRPC -c release --product grpc-probe)
"${build[@]}"
# Not before: the package manager compiles everything again when the environment has changed.
export BENCHMARK_COMMAND
exec python3 Benchmarks/GRPC/compare_grpc.py --probe "$("${build[@]}" --show-bin-path)/grpc-probe" "$@"
