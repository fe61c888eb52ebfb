#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Counts what makes the sources hard to read, beside the aims. It judges nothing: the exit status is 0.
set -euo pipefail
cd "$(dirname "$0")/.."

sources() { find "$1" -name '*.swift' -print0 | xargs -0 cat; }
files() { { grep -rlE "$1" Sources --include=*.swift || true; } | wc -l; }
row() { printf '%-58s %7s %9s\n' "$1" "$2" "$3"; }

# What `import JSONRPCWebSocket` makes visible at the top level: the modules that it re-exports. In Sources/Macros, some folders
# have the names of modules.
public_names() {
    for module in WireJSON JSONRPCCore JSONRPCSession WebSocket LWSWebSocket MessageTransport Sockets JSONRPCWebSocket; do
        find Sources -path Sources/Macros -prune -o -type d -name "$module" -print -prune
    done | xargs -I{} grep -rhE '^public (final |nonisolated )*(actor|class|struct|enum|protocol|typealias|func) +[^_]' {} \
        --include=*.swift | sed -E 's/^public (final |nonisolated )*[a-z]+ +([A-Za-z]+).*/\2/' | sort -u | wc -l
}
# The files that Development/Design.md lists as the path of a call.
path_of_a_call() {
    awk '/^### The path of a call/ { listed = 1; next } /^##/ { listed = 0 } listed' Development/Design.md |
        { grep -oE '`[A-Za-z+]+\.swift`' || true; } | sort -u | wc -l
}
driver="Sources/JSONRPC/JSONRPCSession/Session"

row 'what' 'now' 'aim'
row 'lines of Swift in Sources' "$(sources Sources | wc -l)" '74000'
row 'files of a call, out and back (Development/Design.md)' "$(path_of_a_call)" '20'
row 'files with a withTaskCancellationHandler' "$(files 'withTaskCancellationHandler')" '12'
row 'files with a lock of their own' "$(files '\bMutex[<(]')" '65'
row "files of the session's driver" "$(grep -rlE '(class|extension) SessionDriver\b' Sources --include=*.swift | wc -l)" '5'
row 'fields of its state' "$(awk '/^    struct State \{/ { inside = 1; next } inside && /^    \}/ { exit }
    inside && /^        var [a-zA-Z]+( =|:)/ && !/\{/ { count++ } END { print count + 0 }' "$driver/SessionDriver.swift")" '2'
row 'macro plugins' "$(grep -rlE ': CompilerPlugin\b' Sources --include=*.swift | wc -l)" '1'
row 'entries below Sources' "$(find Sources -mindepth 1 -maxdepth 1 | wc -l)" '8'
row 'public names of import JSONRPCWebSocket' "$(public_names)" '110'
