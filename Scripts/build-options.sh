#!/usr/bin/env bash
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Sourced by the scripts that build for debugging: sets build_options. In CI (CI=true) nobody looks up symbols, so the
# index of symbols leaves out what other modules declare, which saves time. SwiftPM needs the rest of it to find tests.
# All builds in one folder must have the same options, otherwise each compiles everything again.
set -euo pipefail
build_options=()
# shellcheck disable=SC2034 # Used by the scripts that source this one.
[ -z "${CI:-}" ] || build_options=(-Xswiftc -index-ignore-system-modules -Xswiftc -index-ignore-clang-modules)
