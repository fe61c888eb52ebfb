// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// What lws keeps for the whole process, and the lock under which contexts come and go.
enum LWSProcess {
    /// Whether lws was told to be silent: it would write to standard error otherwise.
    ///
    /// lws's functions are called under this lock: contexts of one process may not be made or destroyed at the same
    /// time, and nothing they call comes back to us.
    private static let isSilenced = Mutex(false)

    /// Makes a context, whose vhosts are made by hand. Where that fails, `errno` is what lws's last failed call set, or 0.
    @unsafe static func makeContext(_ info: inout lws_context_creation_info) -> OpaquePointer? {
        var context: OpaquePointer?
        isSilenced.withLock { isSilenced in
            if !isSilenced { unsafe lws_set_log_level(0) { _, _ in } }
            isSilenced = true
            // lws_create_context sets SIGPIPE to be ignored, which is for the program to decide.
            var disposition = sigaction()
            unsafe sigaction(SIGPIPE, nil, &disposition)
            defer { unsafe sigaction(SIGPIPE, &disposition, nil) }
            errno = 0
            unsafe info.options |= CLWS_OPTION_EXPLICIT_VHOSTS
            unsafe context = lws_create_context(&info)
        }
        return unsafe context
    }

    /// Destroys a context, on its own thread.
    @unsafe static func destroyContext(_ context: OpaquePointer) {
        isSilenced.withLock { _ in unsafe lws_context_destroy(context) }
    }
}
