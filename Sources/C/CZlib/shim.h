// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CZLIB_SHIM_H
#define SWIFT_JSONRPC_CZLIB_SHIM_H

#include <zlib.h>

/// The gzip format with the largest window. `deflateInit2` is a macro.
static inline int CZLIB_deflateInitGzip(z_stream *stream) {
    return deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

#endif
