// swift-jsonrpc · SPDX-License-Identifier: MIT

#include "HeapSupport.h"

#ifdef __linux__

#include <malloc.h>

size_t heap_live_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

#else

size_t heap_live_bytes(void) { return 0; }

#endif
