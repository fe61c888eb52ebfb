#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Runs every test, debug build, after installing what they need.
#
#   Scripts/test.sh                     all targets
#   Scripts/test.sh WebSocketTests …    these
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/install-dependencies.sh
Scripts/install-test-peers.sh
swift build --build-tests
Scripts/check-without-nio.sh
Scripts/run-tests.sh --skip-build -- "${@:-all}"
