#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Holds the sources to the module map: what each module may import, and nothing else. System modules that only one
# layer may touch (Foundation, C libraries) are part of the list.
set -euo pipefail
cd "$(dirname "$0")/.."

system='Synchronization|Glibc|Dispatch'
essentials='FoundationEssentials|Foundation'
declare -A allowed=(
    [WireJSON]="$system|$essentials"
    [JSONRPCCore]="WireJSON|$system|$essentials"
    [MessageTransport]=" "
    [HTTPSyntax]="Glibc"
    [TaskWaits]="Synchronization|Dispatch"
    [Sockets]="HTTPSyntax|CLibwebsockets|TaskWaits|$system"
    [WebSocket]="HTTPSyntax|MessageTransport|Sockets|CLibwebsockets|Logging|TaskWaits|$system"
    [LWSWebSocket]="WebSocket|CLibwebsockets|HTTPSyntax|$system"
    [JSONRPCSession]="JSONRPCCore|MessageTransport|WireJSON|DequeModule|Logging|TaskWaits|$system|$essentials"
    [JSONRPCWebSocket]="JSONRPCSession|JSONRPCCore|LWSWebSocket|WireJSON|WebSocket|TaskWaits|$system|$essentials"
    [JSONRPCTesting]="JSONRPCSession|JSONRPCCore|WireJSON|DequeModule|Logging|TaskWaits|$system"
    [JSONRPCObservability]="JSONRPCSession|Metrics|Tracing|$system"
    [JSONRPCServiceLifecycle]="JSONRPCWebSocket|ServiceLifecycle|$system"
    [JSONRPCMacros]="JSONRPCSession|JSONRPCCore|TaskWaits|WireJSON|$system"
    [JSONMacrosExpansion]="SwiftDiagnostics|SwiftParser|SwiftSyntax|SwiftSyntaxBuilder|SwiftSyntaxMacros"
    [HTTPRequests]="HTTPSyntax|WireJSON|HTTPTypes|Logging|TaskWaits|$system|$essentials"
    [HTTPRequestsTesting]="HTTPRequests|HTTPTypes|WireJSON|TaskWaits|$system"
    [AsyncHTTPClientTransport]="HTTPRequests|HTTPSyntax|HTTPTypes|AsyncHTTPClient|NIOCore|NIOHTTP1|NIOHTTP2|NIOHTTPCompression|NIOPosix|NIOSSL|Tracing|$system"
    [URLSessionTransport]="HTTPRequests|HTTPSyntax|HTTPTypes|FoundationNetworking|TaskWaits|$system|$essentials"
    [JSONRPCHTTP]="AsyncHTTPClientTransport|CZlib|HTTPRequests|HTTPSyntax|HTTPTypes|JSONRPCSession|JSONRPCCore|Logging|WireJSON|TaskWaits|$system|$essentials"
    [OpenRPC]="HTTPSyntax|WireJSON|$system"
    [JSONAPI]="HTTPRequests|HTTPSyntax|HTTPTypes|WireJSON|$system|$essentials"
    [JSONAPIMacros]="JSONAPI"
    [WireJSONMacros]="WireJSON"
    [JSONMacrosPlugin]="JSONMacrosExpansion|SwiftCompilerPlugin|SwiftSyntaxMacros"
    [JSONAPITesting]="HTTPRequests|HTTPRequestsTesting|HTTPSyntax|HTTPTypes|JSONAPI|WireJSON|$system"
    [ToolSupport]="JSONRPCCore|OpenRPC|TaskWaits|WireJSON"
    [LoadTester]="CZlib|HTTPSyntax|Histogram|JSONRPCSession|ToolSupport|$system|$essentials"
    [jsonrpc]="AsyncHTTPClientTransport|CEditLine|CLibwebsockets|HTTPSyntax|URLSessionTransport|HTTPTypes|JSONRPCHTTP|JSONRPCTesting|JSONRPCWebSocket|DequeModule|LoadTester|OpenRPC|WebSocket|ArgumentParser|TaskWaits|ToolSupport|$system|$essentials"
)
failed=0

# Prints "file:line module keyword-before" for each import of the given files.
imports() {
    awk '/^[ \t]*(@[A-Za-z_]+(\([^)]*\))?[ \t]+)*(public |package |internal |private |fileprivate )?import / {
        line = $0; name = $0
        sub(/.*import +/, "", name)
        sub(/^(struct|class|enum|protocol|typealias|func|let|var) +/, "", name)
        sub(/[^A-Za-z0-9_].*/, "", name)
        print FILENAME ":" FNR, name, (line ~ /@_exported/ ? "exported" : (line ~ /@testable/ ? "testable" : "plain"))
    }' "$@"
}

for directory in Sources/*/*/; do
    module="$(basename "$directory")"
    [[ "$module" != CLibwebsockets && "$module" != CZlib && "$module" != CEditLine ]] || continue
    if [ -z "${allowed[$module]:-}" ]; then
        echo "check-imports: $module is not in the module map: add it" >&2
        failed=1
        continue
    fi
    while read -r place name how; do
        if ! [[ "$name" =~ ^(${allowed[$module]})$ ]]; then
            echo "$place: $module may not import $name" >&2
            failed=1
        fi
        if [ "$how" = exported ] && ! [[ "$module" =~ ^(WebSocket|JSONRPCSession|JSONRPCWebSocket|JSONRPCHTTP|JSONRPCMacros|JSONAPIMacros|WireJSONMacros)$ ]]; then
            echo "$place: only the umbrellas re-export" >&2
            failed=1
        fi
        if [[ "$place" == *StateMachine* ]] && [[ "$name" =~ ^(Synchronization|Foundation|FoundationEssentials|Dispatch|Glibc|Logging|CLibwebsockets|CZlib|CEditLine)$ ]]; then
            echo "$place: a state machine is pure and may not import $name" >&2
            failed=1
        fi
        # All of Foundation only where a trait of the package asks for it.
        if [ "$name" = Foundation ] && [[ "$module" =~ ^(WireJSON|JSONRPCCore|JSONRPCSession|WebSocket|JSONRPCTesting)$ ]]; then
            grep -q '^#if DateFormatterSupport' "${place%%:*}" || {
                echo "$place: $module may import FoundationEssentials only" >&2
                failed=1
            }
        fi
    done < <(find "$directory" -name '*.swift' -print0 | sort -z | while IFS= read -r -d '' file; do imports "$file"; done)
done
exit "$failed"
