#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Measures the reading of compound JSON:API documents beside JSONDecoder and JSONSerialization in one run, and prints a
# table. A figure is the least processor time of five rounds.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/install-dependencies.sh
swift build --package-path Benchmarks -c release --product jsonapi-table
exec "$(swift build --package-path Benchmarks -c release --show-bin-path)/jsonapi-table"
