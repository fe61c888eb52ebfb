#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Measures the HTTP layer beside async-http-client, Node's fetch and Python's httpx, against a server in C in another
# process, and prints tables with the aims beside the figures.
#
#   Scripts/bench-http.sh           about ten minutes
#   Scripts/bench-http.sh quick     less than a minute after the build
#
# Further arguments go to Benchmarks/HTTP/compare_http.py: --rounds N, --only PART, --json FILE.
set -euo pipefail
cd "$(dirname "$0")/.."
BENCHMARK_COMMAND="Scripts/${0##*/}${*:+ $*}"

flags=()
if [ "${1:-}" = quick ]; then
    shift
    flags+=(--quick)
fi

Scripts/install-dependencies.sh
Scripts/install-test-peers.sh --benchmarks
python=.tools/python/bin/python
"$python" -c 'import httpx' 2>/dev/null ||
    "$python" -m pip install --quiet --disable-pip-version-check 'httpx>=0.28,<1' >&2
# perf counts instructions, or valgrind where perf cannot. wrk shows what the server itself carries; the comparison works without it.
if command -v apt-get >/dev/null; then
    as_root=()
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    for package in wrk linux-perf valgrind; do
        program="${package#linux-}"
        command -v "$program" >/dev/null ||
            "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
                "$package" >&2 || echo "bench-http: goes on without $program" >&2
    done
fi
if wrk="$(command -v wrk)"; then flags+=(--wrk "$wrk"); fi

build=(swift build --package-path Benchmarks -c release --product http-probe)
"${build[@]}"
Benchmarks/HTTP/build.sh
# Not before: the package manager compiles everything again when the environment has changed.
export BENCHMARK_COMMAND
exec python3 Benchmarks/HTTP/compare_http.py --probe "$("${build[@]}" --show-bin-path)/http-probe" \
    --server Benchmarks/.build/peers/http-server --python "$python" "${flags[@]}" "$@"
