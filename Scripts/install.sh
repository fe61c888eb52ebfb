#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Installs the tool `jsonrpc`, its manual pages and its completions for bash, zsh and fish, below PREFIX (/usr/local).
# Builds the tool, unless JSONRPC_TOOL is the path of one. DESTDIR, if set, is a folder that stands for the root of the
# file system. ZSH_COMPLETIONS overrides the folder of the completions for zsh.
set -euo pipefail
cd "$(dirname "$0")/.."

prefix="${PREFIX:-/usr/local}"
[[ "$prefix" == /* ]] || { echo "install: PREFIX is not absolute: $prefix" >&2; exit 2; }
share="$prefix/share"
tool="${JSONRPC_TOOL:-$(Scripts/build-tool.sh)}"
made="$(mktemp -d)"
trap 'rm -rf "$made"' EXIT

put() { # MODE FILE TARGET
    install -D -m "$1" "$2" "${DESTDIR:-}$3"
    echo "install: ${DESTDIR:-}$3" >&2
}
completions() { # SHELL TARGET
    # Shells read the script, so it needs no interpreter line.
    timeout 1m "$tool" --generate-completion-script "$1" | sed '1{/^#!/d;}' >"$made/$1"
    put 644 "$made/$1" "$2"
}

# The time of the last commit, so that the pages of one commit are equal.
time="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}"
Scripts/man-pages.py "$tool" "$made/man1" "$(date -u -d "@$time" +%F)"
strip --remove-section=.comment --remove-section=.note -o "$made/jsonrpc" "$tool"
put 755 "$made/jsonrpc" "$prefix/bin/jsonrpc"
for page in "$made"/man1/*.1; do
    put 644 "$page" "$share/man/man1/${page##*/}"
done
completions bash "$share/bash-completion/completions/jsonrpc"
completions zsh "${ZSH_COMPLETIONS:-$share/zsh/site-functions}/_jsonrpc"
completions fish "$share/fish/vendor_completions.d/jsonrpc.fish"
