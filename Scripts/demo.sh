#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds the tool and lets it show a duplex session with its own server, over loopback. It is built without the default
# trait, because SwiftNIO takes longer to build than the rest of the tool. Calls over HTTP then use URLSession.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/install-dependencies.sh
swift build --disable-default-traits --product jsonrpc
"$(swift build --show-bin-path)/jsonrpc" demo
