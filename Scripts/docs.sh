#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds the documentation of every library with DocC, one archive each, into .build/docs. A warning fails the build: a
# link that leads nowhere is a fault.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/install-dependencies.sh
docc="$(command -v docc || command -v "$(dirname "$(command -v swift)")/docc")" ||
    { echo "docs: docc, which comes with the Swift toolchain, is not on the PATH." >&2; exit 1; }

echo "docs: reading the public symbols" >&2
log="$(mktemp)"
trap 'rm -f "$log"' EXIT
swift package dump-symbol-graph --minimum-access-level public --skip-synthesized-members >"$log" 2>&1 ||
    { cat "$log" >&2; exit 1; }
graphs="$(swift build --show-bin-path)/../symbolgraph"

rm -rf .build/docs
for module in WireJSON JSONRPCCore JSONRPCSession WebSocket JSONRPCWebSocket JSONRPCMacros JSONRPCTesting; do
    folder=".build/docs/symbols/$module"
    mkdir -p "$folder"
    # What a module adds to another's types is in a file of its own.
    find "$graphs" \( -name "$module.symbols.json" -o -name "$module@*.symbols.json" \) -exec cp -t "$folder" {} +
    [ -e "$folder/$module.symbols.json" ] || { echo "docs: no symbols of $module were found." >&2; exit 1; }
    "$docc" convert "Sources/$module/$module.docc" --additional-symbol-graph-dir "$folder" \
        --fallback-display-name "$module" --fallback-bundle-identifier "swift-jsonrpc.$module" \
        --output-path ".build/docs/$module.doccarchive" --warnings-as-errors
    echo "docs: .build/docs/$module.doccarchive" >&2
done
