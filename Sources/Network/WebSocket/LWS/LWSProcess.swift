// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// An lws context with its vhost. It is `@unchecked Sendable` because only one service thread has it at a time. The
/// thread takes it out of the store, under a lock, and puts it back when it calls lws no more. Other threads call only
/// `lws_cancel_service`, which is thread-safe.
@safe struct LWSRawContext: @unchecked Sendable {
    @unsafe let pointer: OpaquePointer
    /// The descriptors that the event loop polls. lws polls the set.
    let epoll: EpollSet
}

/// The lws contexts of the process. No context is ever destroyed, because lws 4.3.5 leaks a descriptor with each
/// context that it destroys. A service thread that ends leaves its context to the next thread.
package enum LWSProcess {
    private struct Store {
        var idle: [LWSRawContext] = []
        /// Whether logging is switched off. Otherwise, lws would write to standard error.
        var isSilenced = false
        var isChecked = false
        /// Whether lws can do TLS handshakes of its own; `nil` if nobody has asked.
        var hasTLS: Bool?
    }

    /// The store. lws's functions are called under its lock, because the contexts of a process must not be made at the
    /// same time. These functions do not call back.
    private static let store = Mutex(Store())

    /// Takes a context out of the store, or makes one.
    static func takeContext() throws(Fault) -> LWSRawContext {
        try store.withLock { (store) throws(Fault) in
            if let context = store.idle.popLast() { return context }
            if !store.isSilenced { unsafe lws_set_log_level(0) { _, _ in } }
            store.isSilenced = true
            guard let context = makeContext() else {
                let code = errno
                throw code == 0 ? Fault("libwebsockets could not make a context") : Fault(systemError: code)
            }
            if !store.isChecked, let fault = LWSSelfCheck.fault(of: context) {
                unsafe lws_context_destroy(context.pointer)
                throw fault
            }
            store.isChecked = true
            return context
        }
    }

    /// Stores an unused context for the next service thread.
    static func leave(_ context: LWSRawContext) {
        store.withLock { $0.idle.append(context) }
    }

    /// Prepares lws for TLS handshakes of its own. Returns `false` if that failed before.
    ///
    /// A context with the option for this overwrites a number of the process by which lws finds its connections in
    /// OpenSSL's callbacks. So exactly one context is made with it, before the first such handshake, and never served.
    package static func prepareTLS() -> Bool {
        store.withLock { store in
            if let hasTLS = store.hasTLS { return hasTLS }
            OpenSSLLibrary.prepare()
            var info = unsafe lws_context_creation_info()
            unsafe info.port = CONTEXT_PORT_NO_LISTEN
            unsafe info.options = CLWS_OPTION_EXPLICIT_VHOSTS | CLWS_OPTION_TLS
            unsafe info.fd_limit_per_thread = 8
            let hasTLS = unsafe create(&info) != nil
            store.hasTLS = hasTLS
            return hasTLS
        }
    }

    /// Makes a context, and restores what the program has decided about SIGPIPE: `lws_create_context` makes the process
    /// ignore the signal.
    @unsafe private static func create(_ info: inout lws_context_creation_info) -> OpaquePointer? {
        var disposition = sigaction()
        unsafe sigaction(SIGPIPE, nil, &disposition)
        defer { unsafe sigaction(SIGPIPE, &disposition, nil) }
        return unsafe lws_create_context(&info)
    }

    private static func makeContext() -> LWSRawContext? {
        // The handshakes of plain connections use OpenSSL, too: for SHA-1.
        OpenSSLLibrary.prepare()
        errno = 0
        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN
        unsafe info.options = CLWS_OPTION_EXPLICIT_VHOSTS
        // The rest is for the engine over libwebsockets. It has timers of its own, which come before those of lws.
        unsafe info.pt_serv_buf_size = UInt32(serviceBufferBytes)
        unsafe info.max_http_header_data = 16_384
        unsafe info.timeout_secs = longestWaitSeconds
        guard let context = unsafe create(&info) else { return nil }
        unsafe info.options = 0
        unsafe info.protocols = protocols
        // Otherwise, lws would look for a proxy in the environment.
        unsafe info.http_proxy_address = empty
        if let vhost = unsafe lws_create_vhost(context, &info), let epoll = EpollSet() {
            // If lws cannot adopt the set, it closes it with the context.
            if unsafe CLWS_adopt(vhost, epoll.number, protocolName) {
                return unsafe LWSRawContext(pointer: context, epoll: epoll)
            }
        }
        let code = errno
        unsafe lws_context_destroy(context)
        errno = code
        return nil
    }

    static let protocolName = "swift-jsonrpc"
    /// The size of the buffer into which lws reads, and in which it composes requests.
    package static let serviceBufferBytes = 65_536
    /// The time limit of lws for anything that it waits for.
    package static let longestWaitSeconds: UInt32 = 86_400

    /// A vhost's table of protocols, which ends with an empty entry. lws keeps its address and those of the names.
    /// `nonisolated(unsafe)`: the memory is neither changed after it was made nor freed.
    nonisolated(unsafe) private static let protocols: UnsafePointer<lws_protocols> = {
        let table = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        var entry = unsafe lws_protocols()
        unsafe entry.name = UnsafePointer(strdup(LWSProcess.protocolName))
        unsafe entry.callback = LWSContext.callback
        unsafe table.initialize(to: entry)
        unsafe (table + 1).initialize(to: lws_protocols())
        return unsafe UnsafePointer(table)
    }()

    /// An empty string. `nonisolated(unsafe)`: as for ``protocols``.
    nonisolated(unsafe) private static let empty = unsafe UnsafePointer(strdup(""))
}

/// A check of the loaded lws, once for each process and before the first connection: it must be of the version of the
/// headers, and report that a descriptor in the set is ready.
enum LWSSelfCheck {
    private static let isReported = Atomic<Bool>(false)

    /// Notes that lws has reported the set, on a thread that has no context yet.
    static func setIsReported() { isReported.store(true, ordering: .relaxed) }

    /// Runs the check. Returns the fault; `nil` if there is none.
    static func fault(of context: LWSRawContext) -> Fault? {
        let built = "\(LWS_LIBRARY_VERSION_MAJOR).\(LWS_LIBRARY_VERSION_MINOR)."
        let loaded = unsafe String(cString: lws_get_library_version())
        guard loaded.hasPrefix(built) else {
            let reason =
                "this program was built with libwebsockets \(built)x, but \(loaded) is loaded; build it again, or "
                + "install that version"
            return Fault(reason)
        }
        let ready = eventfd(1, Int32(EFD_CLOEXEC))
        guard ready >= 0 else { return Fault(systemError: errno) }
        defer { close(ready) }
        guard context.epoll.add(ready, key: 0, events: EPOLLIN.rawValue) else { return Fault(systemError: errno) }
        defer { context.epoll.remove(ready) }
        // Each call returns at once, because lws was woken before.
        for _ in 0..<16 where !isReported.load(ordering: .relaxed) {
            unsafe lws_cancel_service(context.pointer)
            unsafe lws_service(context.pointer, 0)
        }
        if isReported.load(ordering: .relaxed) { return nil }
        return Fault("libwebsockets \(loaded) does not report a descriptor that is ready")
    }
}
