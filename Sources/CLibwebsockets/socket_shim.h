// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_CLIBWEBSOCKETS_SOCKET_SHIM_H
#define SWIFT_JSONRPC_CLIBWEBSOCKETS_SOCKET_SHIM_H

#ifdef __linux__
// glibc shows dup3(2) to `_GNU_SOURCE` only.
extern int dup3(int source, int target, int flags);

static inline int CLWS_dup3(int source, int target, int flags) {
    return dup3(source, target, flags);
}
#endif

#endif
