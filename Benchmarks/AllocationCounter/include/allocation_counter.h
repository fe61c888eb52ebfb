// swift-jsonrpc · SPDX-License-Identifier: MIT

#ifndef ALLOCATION_COUNTER_H
#define ALLOCATION_COUNTER_H

#include <stdint.h>

/// Starts, or starts again, to count allocations of the whole process, from zero.
void allocation_counter_start(void);

/// Stops counting and returns how many allocations there were since the start: calls of malloc, calloc, realloc and
/// the aligned kinds, from any thread.
uint64_t allocation_counter_stop(void);

/// Makes a known number of allocations of each kind and compares. 0 when all were counted, else the number of the kind
/// that was not: then no count of this process means anything.
int allocation_counter_check(void);

/// Returns the bytes of the heap that are in use, as glibc counts them.
uint64_t allocation_counter_bytes_in_use(void);

#endif
