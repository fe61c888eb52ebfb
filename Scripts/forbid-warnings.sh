#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Fails if the log of a build has warnings about the package's own files: forbid-warnings.sh LOG BUILD-FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
log="$1" scratch="$2"

# What SwiftPM says of a dependency's files is not about this package.
dependencies="$(cd "$scratch/checkouts" && printf '%s|' *)"
if grep -E "^$PWD/(Sources|Tests|Examples|Snippets|Package)[^:]*:[0-9]+:[0-9]+: warning:|^warning:" "$log" |
    grep -vE "^warning: '(${dependencies%|})': " | sort -u >&2; then
    echo "forbid-warnings: the build gave the warnings above." >&2
    exit 1
fi
