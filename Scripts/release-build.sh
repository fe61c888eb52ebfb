#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds the libraries and the tool optimised, from nothing, and fails on any warning about the package's own files.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=.build/release-check
log=.build/release-check.log
rm -rf "$scratch"
mkdir -p .build
# All but the macros, and the snippets, each of which depends on every library: swift-syntax alone would take longer than
# the rest together. `make test` compiles them, for debugging.
swift build -c release --scratch-path "$scratch" --product jsonrpc 2>&1 | tee "$log"
for target in JSONRPCTesting JSONRPCObservability JSONRPCServiceLifecycle HTTPRequestsTesting JSONRPCHTTP URLSessionTransport \
    JSONAPITesting; do
    swift build -c release --scratch-path "$scratch" --target "$target" 2>&1 | tee -a "$log"
done
Scripts/forbid-warnings.sh "$log" "$scratch"
