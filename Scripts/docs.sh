#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds the documentation of every library with DocC, one archive each, into .build/docs. A warning fails the build: a
# link that leads nowhere is a fault.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/install-dependencies.sh
beside_swift() {
    command -v "$1" || command -v "$(dirname "$(command -v swift)")/$1" ||
        { echo "docs: $1, which comes with the Swift toolchain, is not on the PATH." >&2; exit 1; }
}
docc="$(beside_swift docc)"
extract="$(beside_swift swift-symbolgraph-extract)"

# Each with what it depends on.
for target in JSONRPCWebSocket JSONRPCMacros JSONRPCTesting OpenRPC; do swift build --target "$target"; done
modules="$(swift build --show-bin-path)/Modules"
triple="$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p' | head -n 1)"

rm -rf .build/docs
for module in WireJSON JSONRPCCore JSONRPCSession WebSocket JSONRPCWebSocket JSONRPCMacros JSONRPCTesting OpenRPC; do
    # What a module adds to another's types comes in a file of its own.
    folder=".build/docs/symbols/$module"
    mkdir -p "$folder"
    "$extract" -module-name "$module" -target "$triple" -I "$modules" \
        -Xcc "-fmodule-map-file=$PWD/Sources/CLibwebsockets/module.modulemap" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$folder"
    "$docc" convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$folder" \
        --fallback-display-name "$module" --fallback-bundle-identifier "swift-jsonrpc.$module" \
        --output-path ".build/docs/$module.doccarchive" --warnings-as-errors
    echo "docs: .build/docs/$module.doccarchive" >&2
done
