#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Installs Autobahn|Testsuite into .tools/autobahn of this checkout. It needs Python 2.7, which is looked for in the path
# and under ~/.pyenv/versions; PYTHON27 overrides. Does nothing when the testsuite is installed already.
set -euo pipefail
cd "$(dirname "$0")/../.."

log() { echo "autobahn: $*" >&2; }
die() { log "$*"; exit 1; }

list=Scripts/autobahn/requirements.txt
environment="$PWD/.tools/autobahn"
if cmp -s "$list" "$environment/installed.txt"; then exit 0; fi

python27() {
    local candidate
    for candidate in "${PYTHON27:-}" ~/.pyenv/versions/2.7*/bin/python2.7 python2.7; do
        # A shim of pyenv is in the path even where it has no Python 2.7 to start.
        if [ -n "$candidate" ] && "$candidate" -c 'import ssl, sys; sys.exit(sys.version_info[:2] != (2, 7))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    return 1
}
python="$(python27)" || die "Autobahn|Testsuite needs Python 2.7 with its ssl module: install it, for example by" \
    "'pyenv install 2.7.18', or name it in PYTHON27."
command -v python3 >/dev/null || die "python3 is needed to make an environment for Python 2.7."

log "installing Autobahn|Testsuite for $python into .tools/autobahn"
rm -rf "$environment"
mkdir -p "$environment"
# The last virtualenv that makes environments for Python 2.7.
python3 -m venv "$environment/virtualenv"
timeout 10m "$environment/virtualenv/bin/python" -m pip install --quiet --disable-pip-version-check 'virtualenv<20.22' >&2 ||
    die "pip could not install virtualenv"
timeout 5m "$environment/virtualenv/bin/python" -m virtualenv --quiet --no-periodic-update -p "$python" "$environment/python" >&2 ||
    die "virtualenv could not make an environment for $python"

install() {
    timeout 10m "$environment/python/bin/python" -m pip --no-python-version-warning install --quiet \
        --disable-pip-version-check --no-build-isolation "$@" >"$environment/pip.log" 2>&1 || {
        tail -n 20 "$environment/pip.log" >&2
        die "pip could not install $*"
    }
}
mapfile -t first < <(grep -E '^(setuptools|wheel|incremental)=' "$list")
install "${first[@]}"
install -r "$list"
cp "$list" "$environment/installed.txt"
