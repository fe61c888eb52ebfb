#!/bin/sh
# swift-jsonrpc · SPDX-License-Identifier: MIT
#
# Compiles the C programs of this folder into Benchmarks/.build/peers.
set -eu
cd "$(dirname "$0")"
out=../.build/peers
mkdir -p "$out"
flags="-O3 -Wall -Wextra -D_GNU_SOURCE $(pkg-config --cflags --libs libwebsockets)"
# shellcheck disable=SC2086 # several flags are meant
{
    cc -o "$out/lws-client-plain" lws_client.c $flags
    cc -o "$out/lws-client-coalescing" -DCOALESCE lws_client.c $flags
    cc -o "$out/lws-server" lws_server.c $flags
}
