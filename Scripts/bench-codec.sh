#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Measures the codec beside Foundation's in one run, and prints a table. JSON_CORPORA names the folder with twitter.json,
# citm_catalog.json, canada.json and github_events.json; where it is missing, generated documents stand for them.
set -euo pipefail
cd "$(dirname "$0")/.."

swift build --package-path Benchmarks -c release --product codec-table
exec "$(swift build --package-path Benchmarks -c release --show-bin-path)/codec-table"
