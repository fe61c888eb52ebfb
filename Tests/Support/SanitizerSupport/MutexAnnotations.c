// swift-jsonrpc · SPDX-License-Identifier: MIT

// Tells the thread sanitizer what Swift's `Mutex` does when it is contended.
//
// The uncontended path of `Mutex` is inlined into our code, where the sanitizer sees its atomic operations. The
// contended path lies in libswiftSynchronization, which is not instrumented: there the sanitizer sees no lock being
// taken, and reports every access under a contended lock as a race. So these definitions stand before the library's:
// they call it, and add the acquire or release that it performs. What is no access under a lock is reported as before.

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) && defined(__linux__)

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

#define LOCK_SLOW "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK_SLOW "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK_SLOW "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

// The library's own function. Without it nothing would be locked, so there is no going on.
static void *library_function(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) abort();
    return function;
}

SWIFT void mutex_lock_slow(uint32_t thread, SELF mutex) __asm__(LOCK_SLOW);
SWIFT void mutex_lock_slow(uint32_t thread, SELF mutex) {
    SWIFT void (*original)(uint32_t, SELF) = library_function(LOCK_SLOW);
    original(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT bool mutex_try_lock_slow(SELF mutex) __asm__(TRY_LOCK_SLOW);
SWIFT bool mutex_try_lock_slow(SELF mutex) {
    SWIFT bool (*original)(SELF) = library_function(TRY_LOCK_SLOW);
    bool is_locked = original(mutex);
    if (is_locked) __tsan_acquire(mutex);
    return is_locked;
}

SWIFT void mutex_unlock_slow(SELF mutex) __asm__(UNLOCK_SLOW);
SWIFT void mutex_unlock_slow(SELF mutex) {
    SWIFT void (*original)(SELF) = library_function(UNLOCK_SLOW);
    __tsan_release(mutex);
    original(mutex);
}

#endif
#endif
