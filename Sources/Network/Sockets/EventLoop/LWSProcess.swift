// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// An lws context with its vhost. It is `@unchecked Sendable` because only one service thread uses it at a time. The
/// thread takes it out of the store, under a lock, and puts it back when it no longer calls lws. Other threads only
/// call `lws_cancel_service`, which is thread-safe.
@safe struct LWSRawContext: @unchecked Sendable {
    @unsafe let pointer: OpaquePointer
    /// The descriptors of the event loop. lws polls the set.
    let epoll: EpollSet
}

/// The lws contexts of the process. Contexts are never destroyed, because lws 4.3.5 leaks a descriptor with each
/// destroyed context. A service thread that ends leaves its context to the next thread.
package enum LWSProcess {
    private struct Store {
        var idle: [LWSRawContext] = []
        /// Whether logging was disabled. Otherwise, lws would write to standard error.
        var isSilenced = false
        var isChecked = false
        /// Whether lws can do TLS handshakes, or `nil` before the first request.
        var hasTLS: Bool?
    }

    /// The store. lws functions are called under its lock, because the contexts of a process must not be made at the
    /// same time. These functions do not call back.
    private static let store = Mutex(Store())

    /// Takes a context out of the store, or makes one.
    static func takeContext() throws(SocketFault) -> LWSRawContext {
        try store.withLock { (store) throws(SocketFault) in
            if let context = store.idle.popLast() { return context }
            if !store.isSilenced { unsafe lws_set_log_level(0) { _, _ in } }
            store.isSilenced = true
            guard let context = makeContext() else {
                let code = errno
                throw code == 0 ? SocketFault("libwebsockets could not make a context") : SocketFault(systemError: code)
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

    /// Prepares lws for its own TLS handshakes. Returns `false` if this failed, now or earlier.
    ///
    /// A context with this option overwrites a global number that lws uses to find its connections in OpenSSL's
    /// callbacks. So exactly one context is made with it, before the first such handshake, and never served.
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

    /// Makes a context, and restores the program's handling of SIGPIPE, because `lws_create_context` makes the process
    /// ignore the signal.
    @unsafe private static func create(_ info: inout lws_context_creation_info) -> OpaquePointer? {
        var disposition = sigaction()
        unsafe sigaction(SIGPIPE, nil, &disposition)
        defer { unsafe sigaction(SIGPIPE, &disposition, nil) }
        return unsafe lws_create_context(&info)
    }

    private static func makeContext() -> LWSRawContext? {
        // Connections without TLS also use OpenSSL, for SHA-1.
        OpenSSLLibrary.prepare()
        errno = 0
        var info = unsafe lws_context_creation_info()
        unsafe info.port = CONTEXT_PORT_NO_LISTEN
        unsafe info.options = CLWS_OPTION_EXPLICIT_VHOSTS
        // The remaining options are for connections of lws itself. Timers of their owners fire before those of lws.
        unsafe info.pt_serv_buf_size = UInt32(serviceBufferBytes)
        unsafe info.max_http_header_data = 16_384
        unsafe info.timeout_secs = longestWaitSeconds
        guard let context = unsafe create(&info) else { return nil }
        unsafe info.options = 0
        unsafe info.protocols = protocols
        // Otherwise, lws would look for a proxy in the environment.
        unsafe info.http_proxy_address = empty
        if let vhost = unsafe lws_create_vhost(context, &info), let epoll = EpollSet() {
            // If lws cannot adopt the set, it closes the set with the context.
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
    /// The size of the buffer that lws uses for reading and for composing requests.
    package static let serviceBufferBytes = 65_536
    /// The time limit of lws for everything that it waits for.
    package static let longestWaitSeconds: UInt32 = 86_400

    /// A vhost's table of protocols, which ends with an empty entry. lws keeps its address and those of the names.
    /// `nonisolated(unsafe)`: the memory is never changed after it was made, and never freed.
    nonisolated(unsafe) private static let protocols: UnsafePointer<lws_protocols> = {
        let table = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 2)
        var entry = unsafe lws_protocols()
        unsafe entry.name = UnsafePointer(strdup(LWSProcess.protocolName))
        unsafe entry.callback = LWSContext.callback
        unsafe table.initialize(to: entry)
        unsafe (table + 1).initialize(to: lws_protocols())
        return unsafe UnsafePointer(table)
    }()

    /// An empty string. `nonisolated(unsafe)`: the same as for ``protocols``.
    nonisolated(unsafe) private static let empty = unsafe UnsafePointer(strdup(""))
}

/// A check of the loaded lws, once per process and before the first connection. lws must have the version of the
/// headers, and report that a descriptor in the set is ready.
enum LWSSelfCheck {
    private static let isReported = Atomic<Bool>(false)

    /// Records that lws has reported the set on a thread without a context.
    static func setIsReported() { isReported.store(true, ordering: .relaxed) }

    /// Runs the check. Returns the fault, or `nil` if there is none.
    static func fault(of context: LWSRawContext) -> SocketFault? {
        let built = "\(LWS_LIBRARY_VERSION_MAJOR).\(LWS_LIBRARY_VERSION_MINOR)."
        let loaded = unsafe String(cString: lws_get_library_version())
        guard loaded.hasPrefix(built) else {
            let reason =
                "this program was built with libwebsockets \(built)x, but \(loaded) is loaded; build it again, or "
                + "install that version"
            return SocketFault(reason)
        }
        let ready = eventfd(1, Int32(EFD_CLOEXEC))
        guard ready >= 0 else { return SocketFault(systemError: errno) }
        defer { close(ready) }
        guard context.epoll.add(ready, key: 0, events: EPOLLIN.rawValue) else { return SocketFault(systemError: errno) }
        defer { context.epoll.remove(ready) }
        // Each call returns at once, because lws was woken before.
        for _ in 0..<16 where !isReported.load(ordering: .relaxed) {
            unsafe lws_cancel_service(context.pointer)
            unsafe lws_service(context.pointer, 0)
        }
        if isReported.load(ordering: .relaxed) { return nil }
        return SocketFault("libwebsockets \(loaded) does not report a descriptor that is ready")
    }
}
