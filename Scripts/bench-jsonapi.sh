#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Measures the reading of compound JSON:API documents beside JSONDecoder and JSONSerialization in one run, and prints a
# table. A figure is the least processor time of five rounds. Arguments go to Benchmarks/Peers/record.py: --json FILE.
set -euo pipefail
cd "$(dirname "$0")/.."
BENCHMARK_COMMAND="Scripts/${0##*/}${*:+ $*}"

Scripts/install-dependencies.sh
build=(swift build --package-path Benchmarks -c release --product jsonapi-table)
"${build[@]}"
# Not before: the package manager compiles everything again when the environment has changed.
export BENCHMARK_COMMAND
exec python3 Benchmarks/Peers/record.py jsonapi "$("${build[@]}" --show-bin-path)/jsonapi-table" "$@"
