#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Shows that a program that does not use AsyncHTTPClientTransport does not build SwiftNIO, and that the tool does not
# without the default trait: asks SwiftPM for the graphs of this package's build, and follows them from a module to
# everything that has to be built before. Compiles nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/build-options.sh

graph="$(mktemp)"
plain="$(mktemp)"
trap 'rm -f "$graph" "$plain"' EXIT
swift build "${build_options[@]}" --print-manifest-job-graph >"$graph"
swift build "${build_options[@]}" --disable-default-traits --print-manifest-job-graph >"$plain"

python3 - "$graph" "$plain" <<'EOF'
import re, sys

# An edge leads from a file to the command that reads it, or from a command to the file that it makes.
edge = re.compile(r'^  "(.*)" -> "(.*)" \[')


def graph(path):
    """Returns what each file and each command needs."""
    needed_by = {}
    for line in open(path):
        if match := edge.match(line):
            needed_by.setdefault(match.group(2), []).append(match.group(1))
    return needed_by


default, plain = map(graph, sys.argv[1:])


def modules(module, needed_by=default):
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
for module in ['AsyncHTTPClientTransport', 'jsonrpc']:
    if 'NIOCore' not in modules(module):
        sys.exit(f'check-without-nio: {module} is built without NIOCore?')
failed = False
checks = [('jsonrpc', plain, ' without the default trait')]
for name in ['JSONRPCWebSocket', 'JSONRPCSession', 'JSONRPCTesting', 'JSONRPCObservability', 'HTTPRequests', 'URLSessionTransport']:
    checks.append((name, default, ''))
for module, needed_by, how in checks:
    built = modules(module, needed_by)
    if found := sorted(filter(is_nio, built)):
        failed = True
        print(f'check-without-nio: {module}{how} builds', *found, file=sys.stderr)
    elif module not in built:
        sys.exit(f'check-without-nio: {module} is built from nothing?')
    else:
        print(f'check-without-nio: {module}{how} builds {len(built)} modules, none of SwiftNIO:', *sorted(built))
sys.exit(failed)
EOF
