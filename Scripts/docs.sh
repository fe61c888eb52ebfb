#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds the documentation of every library with DocC, as one archive: .build/docs/swift-jsonrpc.doccarchive. A warning
# fails the build, so a link that leads nowhere is a fault.
#
#   docs.sh              builds
#   docs.sh --preview    also serves the archive to a browser on this machine, until Ctrl-C
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

Scripts/install-dependencies.sh
beside_swift() {
    command -v "$1" || command -v "$(dirname "$(command -v swift)")/$1" ||
        { echo "docs: $1, which comes with the Swift toolchain, is not on the PATH." >&2; exit 1; }
}
docc="$(beside_swift docc)"
extract="$(beside_swift swift-symbolgraph-extract)"

# Each with what it depends on.
for target in JSONRPCServiceLifecycle JSONRPCObservability JSONRPCMacros JSONRPCTesting JSONRPCHTTP \
    URLSessionTransport HTTPRequestsTesting JSONAPIMacros JSONAPITesting WireJSONMacros; do
    swift build --target "$target" "${build_options[@]}"
done
built="$(swift build --show-bin-path)/Modules"
triple="$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p' | head -n 1)"

# The C modules below the package's own, in their checkouts or where the build has written their module maps.
maps=()
for map in "$PWD"/Sources/C/*/module.modulemap "$PWD"/.build/checkouts/*/Sources/*/include/module.modulemap \
    "$(swift build --show-bin-path)"/*.build/module.modulemap; do
    [ ! -f "$map" ] || maps+=(-Xcc "-fmodule-map-file=$map" -Xcc "-I$(dirname "$map")")
done

rm -rf .build/docs
archives=()
dependencies=()
# An article can link to those of the modules before its own: <doc:/HTTPRequests/CallingAnHTTPAPI>. The page that leads to
# all of them is in the last one.
modules=(WireJSON WireJSONMacros MessageTransport Sockets WebSocket LWSWebSocket JSONRPCTesting JSONRPCSession JSONRPCCore
    JSONRPCMacros JSONRPCObservability JSONRPCServiceLifecycle HTTPRequestsTesting HTTPRequests AsyncHTTPClientTransport
    URLSessionTransport JSONRPCHTTP JSONAPITesting JSONAPIMacros JSONAPI JSONRPCWebSocket)
symbols=.build/docs/symbols
for module in "${modules[@]}"; do
    mkdir -p "$symbols/$module"
    "$extract" -module-name "$module" -target "$triple" -I "$built" \
        "${maps[@]}" \
        -minimum-access-level public -skip-synthesized-members -output-dir "$symbols/$module"
done
# What a module adds to the type of another is in a file of its own, A@B. It belongs on the page of that type.
for module in "${modules[@]}"; do
    find "$symbols" -name "*@$module.symbols.json" -exec mv -t "$symbols/$module" {} +
done
mkdir -p .build/docs/modules
for module in "${modules[@]}"; do
    archive=".build/docs/modules/$module.doccarchive"
    "$docc" convert Sources/*/"$module/$module.docc" --additional-symbol-graph-dir "$symbols/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "swift-jsonrpc.$module" \
        --enable-experimental-external-link-support "${dependencies[@]}" \
        --output-path "$archive" --warnings-as-errors
    archives+=("$archive")
    dependencies+=(--dependency "$archive")
done
combined=.build/docs/swift-jsonrpc.doccarchive
"$docc" merge "${archives[@]}" --synthesized-landing-page-name swift-jsonrpc --output-path "$combined"
for module in "${archives[@]}"; do
    page="$(basename "$module" .doccarchive | tr '[:upper:]' '[:lower:]')"
    [ -s "$combined/documentation/$page/index.html" ] || { echo "docs: $page is missing in $combined" >&2; exit 1; }
done
echo "docs: $combined; to open it: make docs-preview" >&2

[ "${1:-}" != --preview ] || {
    port="$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
    echo "docs: http://127.0.0.1:$port/documentation/" >&2
    exec python3 -m http.server --bind 127.0.0.1 --directory "$combined" "$port"
}
