#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Builds the tool and lets it show a duplex session with its own server, over loopback.
set -euo pipefail
cd "$(dirname "$0")/.."

Scripts/install-dependencies.sh
swift build --product jsonrpc
"$(swift build --show-bin-path)/jsonrpc" demo
