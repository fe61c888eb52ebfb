#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds one test target with the modules that it needs, and runs it if the build has succeeded:
#
#   Scripts/test-one.sh SessionMachineTests                                    the target
#   Scripts/test-one.sh SessionMachineTests.SessionModelTests                  a suite of it
#   Scripts/test-one.sh 'SessionMachineTests.SessionModelTests/aPlanted.*'     tests of it, by a regular expression
#
# It builds in a folder of its own, .build/one, because the manifest has fewer targets here than for `swift build`.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

[ $# -eq 1 ] || { echo "usage: $0 TARGET[.SUITE[/TEST]]" >&2; exit 2; }
export JSONRPC_TEST_TARGETS="${1%%.*}"
compgen -G "Tests/*/$JSONRPC_TEST_TARGETS/" >/dev/null || {
    echo "test-one: there is no $JSONRPC_TEST_TARGETS in Tests" >&2
    exit 2
}

options=(--scratch-path .build/one "${build_options[@]}")
swift build --product swift-jsonrpcPackageTests "${options[@]}"
Scripts/run-tests.sh --skip-build "${options[@]}" -- "$1"
