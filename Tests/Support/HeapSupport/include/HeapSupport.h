// swift-jsonrpc · SPDX-License-Identifier: MIT
#ifndef SWIFT_JSONRPC_HEAP_SUPPORT_H
#define SWIFT_JSONRPC_HEAP_SUPPORT_H

#include <stddef.h>

/// The bytes of this process that `malloc` gave out and `free` has not got back, and those that threads keep for
/// themselves to give out again. Linux only; 0 or next to it under a sanitizer, whose allocator is another one.
size_t heap_live_bytes(void);

#endif
