// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CLIBWEBSOCKETS_ZLIB_SHIM_H
#define SWIFT_JSONRPC_CLIBWEBSOCKETS_ZLIB_SHIM_H

#include <zlib.h>

/// Raw deflate with the largest window, which also reads smaller windows. `inflateInit2` is a macro.
static inline int CLWS_inflateInit(z_stream *stream) {
    return inflateInit2(stream, -15);
}

#endif
