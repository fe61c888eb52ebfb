// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// An lws context with its vhost. It is `@unchecked Sendable` because only one service thread has it at a time. The thread takes it out of the store,
/// under a lock, and puts it back when it calls lws no more. Other threads call only `lws_cancel_service`, which is
/// thread-safe.
@safe struct LWSRawContext: @unchecked Sendable {
    @unsafe let pointer: OpaquePointer
    /// The vhost that adopts descriptors.
    @unsafe let vhost: OpaquePointer
    /// The size of lws's table of descriptors. lws cannot undo the adoption of a number beyond the table.
    let descriptorLimit: Int32
}

/// The lws contexts of the process. No context is ever destroyed, because lws 4.3.5 leaks a descriptor with each
/// context that it destroys. A service thread that ends leaves its context to the next thread.
enum LWSProcess {
    private struct Store {
        var idle: [LWSRawContext] = []
        /// Whether logging is switched off. Otherwise, lws would write to standard error.
        var isSilenced = false
        /// Whether the loaded lws has passed the self-check.
        var isChecked = false
    }

    /// The reason why no context could be made.
    struct Failure: Error {
        /// The `errno`; 0 if none is known.
        var code: Int32
        /// Half a sentence.
        var reason: String
    }

    /// The store. lws's functions are called under its lock, because the contexts of a process must not be made at the
    /// same time. These functions do not call back.
    private static let store = Mutex(Store())

    static func takeContext() -> Result<LWSRawContext, Failure> {
        store.withLock { store in
            if let context = store.idle.popLast() { return .success(context) }
            if !store.isSilenced { unsafe lws_set_log_level(0) { _, _ in } }
            store.isSilenced = true
            guard let context = makeContext() else {
                let code = errno
                let reason = code == 0 ? "libwebsockets could not make a context" : errorText(code)
                return .failure(Failure(code: code, reason: reason))
            }
            if !store.isChecked, let fault = unsafe LWSSelfCheck.fault(of: context.pointer, vhost: context.vhost) {
                unsafe lws_context_destroy(context.pointer)
                return .failure(fault)
            }
            store.isChecked = true
            return .success(context)
        }
    }

    /// Stores an unused context for the next service thread.
    static func leave(_ context: LWSRawContext) {
        store.withLock { $0.idle.append(context) }
    }

    private static func makeContext() -> LWSRawContext? {
        // The handshakes of plain connections use OpenSSL, too: for SHA-1.
        OpenSSLLibrary.prepare()
        // lws_create_context makes the process ignore SIGPIPE. The program decides about that, so it is restored.
        var disposition = sigaction()
        unsafe sigaction(SIGPIPE, nil, &disposition)
        defer { unsafe sigaction(SIGPIPE, &disposition, nil) }
        errno = 0
        let descriptorLimit = getdtablesize()
        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN
        unsafe info.options = CLWS_OPTION_EXPLICIT_VHOSTS
        guard let context = unsafe lws_create_context(&info) else { return nil }
        unsafe info.options = 0
        unsafe info.protocols = table.protocols
        // Otherwise, lws would look for a proxy in the environment.
        unsafe info.http_proxy_address = table.empty
        guard let vhost = unsafe lws_create_vhost(context, &info) else {
            let code = errno
            unsafe lws_context_destroy(context)
            errno = code
            return nil
        }
        return unsafe LWSRawContext(pointer: context, vhost: vhost, descriptorLimit: descriptorLimit)
    }

    /// The name of the protocol of all descriptors.
    static let protocolName = "swift-jsonrpc"

    /// A vhost's table of protocols, and its strings. lws keeps their addresses.
    ///
    /// It is `@unchecked Sendable` because the memory is neither changed after `init` nor freed.
    @safe private struct VhostTable: @unchecked Sendable {
        @unsafe let protocols: UnsafePointer<lws_protocols>
        @unsafe let empty: UnsafePointer<CChar>?

        init() {
            // The table ends with an empty entry.
            let table = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 3)
            var entry = unsafe lws_protocols()
            unsafe entry.name = UnsafePointer(strdup(LWSProcess.protocolName))
            unsafe entry.callback = lwsCallback
            unsafe table.initialize(to: entry)
            unsafe entry.name = UnsafePointer(strdup(LWSSelfCheck.protocolName))
            unsafe entry.callback = LWSSelfCheck.callback
            unsafe (table + 1).initialize(to: entry)
            unsafe (table + 2).initialize(to: lws_protocols())
            unsafe protocols = UnsafePointer(table)
            unsafe empty = UnsafePointer(strdup(""))
        }
    }

    private static let table = VhostTable()
}
