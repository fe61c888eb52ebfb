// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// What lws keeps for the whole process, and the lock under which contexts come and go.
enum LWSProcess {
    /// Whether the process-wide part of lws and OpenSSL is set up.
    ///
    /// lws's functions are called under this lock: contexts of one process may not be made or destroyed at the same
    /// time, and nothing they call comes back to us.
    private static let isPrepared = Mutex(false)

    /// Makes a context, whose vhosts are made by hand. Where that fails, `errno` is what lws's last failed call set, or 0.
    @unsafe static func makeContext(_ info: inout lws_context_creation_info) -> OpaquePointer? {
        var context: OpaquePointer?
        isPrepared.withLock { isPrepared in
            // lws_create_context sets SIGPIPE to be ignored, which is for the program to decide.
            var disposition = sigaction()
            unsafe sigaction(SIGPIPE, nil, &disposition)
            defer { unsafe sigaction(SIGPIPE, &disposition, nil) }
            errno = 0
            // What failed may work the next time.
            if !isPrepared { isPrepared = prepare() }
            guard isPrepared else { return }
            unsafe info.options |= CLWS_OPTION_EXPLICIT_VHOSTS
            unsafe context = lws_create_context(&info)
        }
        return unsafe context
    }

    /// Destroys a context, on its own thread.
    @unsafe static func destroyContext(_ context: OpaquePointer) {
        isPrepared.withLock { _ in unsafe lws_context_destroy(context) }
    }

    /// Makes the first context of the process, which sets OpenSSL up and is never destroyed: a second one with the
    /// same flag would overwrite an index that TLS handshakes in flight in the first rely on. False when that failed.
    private static func prepare() -> Bool {
        // Silent: lws would write to standard error otherwise.
        unsafe lws_set_log_level(0) { _, _ in }
        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN
        unsafe info.options = CLWS_OPTION_EXPLICIT_VHOSTS | CLWS_OPTION_DO_SSL_GLOBAL_INIT
        unsafe info.fd_limit_per_thread = 16
        return unsafe lws_create_context(&info) != nil
    }
}
