// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// An lws context with its one vhost, as the process keeps it.
///
/// It is `@unchecked Sendable` because one service thread has it at a time: it takes it out of the store, under a lock,
/// and puts it back when it calls lws no more. The one function that other threads call meanwhile,
/// `lws_cancel_service`, is made for that.
@safe struct LWSRawContext: @unchecked Sendable {
    @unsafe let pointer: OpaquePointer
    /// Where descriptors are adopted.
    @unsafe let vhost: OpaquePointer
    /// lws keeps a table of so many descriptors, by their number, and cannot undo an adoption that fails for its lack.
    let descriptorLimit: Int32
}

/// The lws contexts of the process. None is ever destroyed: a service thread that ends leaves its context to the next
/// one, which is the same in every version of lws (4.3.5 loses a descriptor with each context that it destroys).
enum LWSProcess {
    private struct Store {
        var idle: [LWSRawContext] = []
        /// lws would write to standard error otherwise.
        var isSilenced = false
        /// The lws that is loaded does what is needed of it.
        var isChecked = false
    }

    /// Why there is no context.
    struct Failure: Error {
        /// An `errno`, or 0 where none is known.
        var code: Int32
        /// One half of a sentence.
        var reason: String
    }

    /// lws's functions are called under this lock: contexts of one process may not be made at the same time, and nothing
    /// they call comes back to us.
    private static let store = Mutex(Store())

    /// A context that nobody else uses.
    static func takeContext() -> Result<LWSRawContext, Failure> {
        store.withLock { store in
            if let context = store.idle.popLast() { return .success(context) }
            if !store.isSilenced { unsafe lws_set_log_level(0) { _, _ in } }
            store.isSilenced = true
            guard let context = makeContext() else {
                let code = errno
                return .failure(Failure(code: code, reason: code == 0 ? "lws makes no context" : errorText(code)))
            }
            if !store.isChecked, let fault = unsafe LWSSelfCheck.fault(of: context.pointer, vhost: context.vhost) {
                unsafe lws_context_destroy(context.pointer)
                return .failure(fault)
            }
            store.isChecked = true
            return .success(context)
        }
    }

    /// Keeps a context in which nothing is left, for the next service thread.
    static func leave(_ context: LWSRawContext) {
        store.withLock { $0.idle.append(context) }
    }

    private static func makeContext() -> LWSRawContext? {
        // The handshakes of plain connections use OpenSSL, too: for SHA-1.
        OpenSSLLibrary.prepare()
        // lws_create_context sets SIGPIPE to be ignored, which is for the program to decide.
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
        // Else it would look for a proxy in the environment.
        unsafe info.http_proxy_address = table.empty
        guard let vhost = unsafe lws_create_vhost(context, &info) else {
            let code = errno
            unsafe lws_context_destroy(context)
            errno = code
            return nil
        }
        return unsafe LWSRawContext(pointer: context, vhost: vhost, descriptorLimit: descriptorLimit)
    }

    /// What the protocol of all descriptors is called.
    static let protocolName = "swift-jsonrpc"

    /// A vhost's table of protocols, and its strings: lws keeps the addresses.
    ///
    /// It is `@unchecked Sendable` because what it points to is neither changed after `init` nor freed.
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
