#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Shows that a program that does not use AsyncHTTPClientTransport does not build SwiftNIO: asks SwiftPM for the graph of
# this package's build, and follows it from a module to everything that has to be built before. Compiles nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

graph="$(mktemp)"
trap 'rm -f "$graph"' EXIT
swift build --print-manifest-job-graph >"$graph"

python3 - "$graph" <<'EOF'
import re, sys

# An edge leads from a file to the command that reads it, or from a command to the file that it makes.
edge = re.compile(r'^  "(.*)" -> "(.*)" \[')
needed_by = {}
for line in open(sys.argv[1]):
    if match := edge.match(line):
        needed_by.setdefault(match.group(2), []).append(match.group(1))

def modules(module):
    """Returns the modules of which a file is made when `module` is built."""
    start = next((node for node in needed_by if re.match(rf'<{module}-.*\.module>$', node)), None)
    if start is None:
        sys.exit(f'check-without-nio: {module} is not in the graph')
    seen, open_nodes = {start}, [start]
    while open_nodes:
        for node in needed_by.get(open_nodes.pop(), []):
            if node not in seen:
                seen.add(node)
                open_nodes.append(node)
    return {match.group(1) for node in seen if (match := re.search(r'/(\w+)\.build/', node))}

def is_nio(module):
    return re.match(r'_?C?NIO|_?C?AsyncHTTPClient$', module) is not None

# The control: if nothing were found here, the others would show nothing.
if 'NIOCore' not in modules('AsyncHTTPClientTransport'):
    sys.exit('check-without-nio: AsyncHTTPClientTransport is built without NIOCore?')
failed = False
for module in ['JSONRPCWebSocket', 'JSONRPCSession', 'JSONRPCTesting', 'HTTPRequests', 'URLSessionTransport']:
    built = modules(module)
    if found := sorted(filter(is_nio, built)):
        failed = True
        print(f'check-without-nio: {module} builds', *found, file=sys.stderr)
    elif module not in built:
        sys.exit(f'check-without-nio: {module} is built from nothing?')
    else:
        print(f'check-without-nio: {module} builds {len(built)} modules, none of SwiftNIO:', *sorted(built))
sys.exit(failed)
EOF
