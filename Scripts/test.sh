#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Runs every test, debug build, after installing what they need.
#
#   Scripts/test.sh                     all targets
#   Scripts/test.sh WebSocketTests …    these
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

Scripts/install-dependencies.sh
Scripts/install-test-peers.sh
mkdir -p .build
swift build --build-tests "${build_options[@]}" 2>&1 | tee .build/build-tests.log
Scripts/forbid-warnings.sh .build/build-tests.log .build
Scripts/check-without-nio.sh
Scripts/run-samples.py
Scripts/run-tests.sh --skip-build -- "${@:-all}"
