#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Measures the codec beside Foundation's and simdjson's in one run, and prints a table. JSON_CORPORA names the folder
# with twitter.json, citm_catalog.json, canada.json and github_events.json; where it is missing, generated documents
# stand for them. Arguments go to Benchmarks/Peers/record.py: --json FILE.
set -euo pipefail
cd "$(dirname "$0")/.."
BENCHMARK_COMMAND="${JSON_CORPORA:+JSON_CORPORA=… }Scripts/${0##*/}${*:+ $*}"

Scripts/install-dependencies.sh
if [ ! -e /usr/include/simdjson.h ]; then
    command -v apt-get >/dev/null || { echo "bench-codec: install simdjson's header and library by hand." >&2; exit 1; }
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "bench-codec: installing libsimdjson-dev with apt-get" >&2
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends libsimdjson-dev
fi

build=(swift build --package-path Benchmarks -c release --product codec-table)
"${build[@]}"
# Not before: the package manager compiles everything again when the environment has changed.
export BENCHMARK_COMMAND
exec python3 Benchmarks/Peers/record.py codec "$("${build[@]}" --show-bin-path)/codec-table" "$@" --versions simdjson
