#!/bin/sh
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Compiles the server of this folder into Benchmarks/.build/peers.
set -eu
cd "$(dirname "$0")"
out=../.build/peers
mkdir -p "$out"
# shellcheck disable=SC2046 # several flags are meant
cc -o "$out/http-server" -O3 -Wall -Wextra -D_GNU_SOURCE server.c $(pkg-config --cflags --libs libwebsockets)
