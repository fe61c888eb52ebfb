// swift-jsonrpc · SPDX-License-Identifier: MIT
//
// These definitions come before those of the C library for the program and all it loads; glibc keeps its own under
// second names, to which they pass on. On other systems nothing is counted, and the check says so.

#include "allocation_counter.h"

#include <malloc.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_bool is_counting;
static _Atomic uint64_t count;

#if defined(__GLIBC__)

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static inline void note(void) {
    if (atomic_load_explicit(&is_counting, memory_order_relaxed))
        atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
}

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
    note();
    return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
    note();
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

void *memalign(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) || alignment & (alignment - 1) || !alignment) return EINVAL;
    note();
    void *allocated = __libc_memalign(alignment, size);
    if (!allocated) return ENOMEM;
    *memory = allocated;
    return 0;
}

#endif

void allocation_counter_start(void) {
    atomic_store(&count, 0);
    atomic_store(&is_counting, 1);
}

uint64_t allocation_counter_stop(void) {
    atomic_store(&is_counting, 0);
    return atomic_load(&count);
}

enum { known_count = 1000 };

// The compiler may leave out a malloc whose memory nobody uses; it cannot know what stands behind these.
static void *(*volatile call_malloc)(size_t) = malloc;
static void *(*volatile call_calloc)(size_t, size_t) = calloc;
static void *(*volatile call_realloc)(void *, size_t) = realloc;
static int (*volatile call_posix_memalign)(void **, size_t, size_t) = posix_memalign;
static void (*volatile call_free)(void *) = free;

static void *allocate(int kind) {
    void *memory = NULL;
    switch (kind) {
    case 1: return call_malloc(24);
    case 2: return call_calloc(1, 24);
    case 3: return call_realloc(NULL, 24);
    default: return call_posix_memalign(&memory, 64, 64) ? NULL : memory;
    }
}

int allocation_counter_check(void) {
    for (int kind = 1; kind <= 4; kind++) {
        allocation_counter_start();
        for (int i = 0; i < known_count; i++) {
            void *memory = allocate(kind);
            if (!memory) return kind;
            call_free(memory);
        }
        // Other threads may allocate meanwhile, so more is not wrong.
        if (allocation_counter_stop() < known_count) return kind;
    }
    return 0;
}

uint64_t allocation_counter_bytes_in_use(void) {
    struct mallinfo2 usage = mallinfo2();
    return usage.uordblks + usage.hblkhd;
}
