// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc
import Synchronization

/// An lws context with its vhost. It is `@unchecked Sendable` because only one service thread has it at a time. The
/// thread takes it out of the store, under a lock, and puts it back when it calls lws no more. Other threads call only
/// `lws_cancel_service`, which is thread-safe.
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
        var isChecked = false
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
            if !store.isChecked, let fault = unsafe LWSSelfCheck.fault(of: context.pointer, vhost: context.vhost) {
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
        unsafe info.protocols = protocols
        // Otherwise, lws would look for a proxy in the environment.
        unsafe info.http_proxy_address = empty
        guard let vhost = unsafe lws_create_vhost(context, &info) else {
            let code = errno
            unsafe lws_context_destroy(context)
            errno = code
            return nil
        }
        return unsafe LWSRawContext(pointer: context, vhost: vhost, descriptorLimit: descriptorLimit)
    }

    static let protocolName = "swift-jsonrpc"

    /// A vhost's table of protocols, which ends with an empty entry. lws keeps its address and those of the names.
    /// `nonisolated(unsafe)`: the memory is neither changed after it was made nor freed.
    nonisolated(unsafe) private static let protocols: UnsafePointer<lws_protocols> = {
        let table = UnsafeMutablePointer<lws_protocols>.allocate(capacity: 3)
        var entry = unsafe lws_protocols()
        unsafe entry.name = UnsafePointer(strdup(LWSProcess.protocolName))
        unsafe entry.callback = LWSDescriptor.callback
        unsafe table.initialize(to: entry)
        unsafe entry.name = UnsafePointer(strdup(LWSSelfCheck.protocolName))
        unsafe entry.callback = LWSSelfCheck.callback
        unsafe (table + 1).initialize(to: entry)
        unsafe (table + 2).initialize(to: lws_protocols())
        return unsafe UnsafePointer(table)
    }()

    /// An empty string. `nonisolated(unsafe)`: as for ``protocols``.
    nonisolated(unsafe) private static let empty = unsafe UnsafePointer(strdup(""))
}

/// A check of the loaded lws, once for each process and before the first connection. It checks that lws polls
/// descriptors as the event loops need it. lws must report bytes to read, stop reporting them on request, report room
/// to write, and close a descriptor on request.
@safe final class LWSSelfCheck {
    static let protocolName = "swift-jsonrpc-check"

    private var readable = 0
    private var writable = 0
    private var closed = 0

    static let callback:
        @convention(c) (
            OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
        ) -> Int32 = { wsi, reason, _, _, _ in
            guard let wsi = unsafe wsi, let pointer = unsafe lws_get_opaque_user_data(wsi) else { return 0 }
            // Set by `run`, which holds the check until lws has closed the descriptor.
            let check = unsafe Unmanaged<LWSSelfCheck>.fromOpaque(pointer).takeUnretainedValue()
            switch reason {
            case LWS_CALLBACK_RAW_RX_FILE: check.readable += 1
            case LWS_CALLBACK_RAW_WRITEABLE_FILE: check.writable += 1
            case LWS_CALLBACK_RAW_CLOSE_FILE: check.closed += 1
            default: break
            }
            return 0
        }

    /// Runs the check. Returns the fault; `nil` if there is none.
    @unsafe static func fault(of context: OpaquePointer, vhost: OpaquePointer) -> Fault? {
        let built = "\(LWS_LIBRARY_VERSION_MAJOR).\(LWS_LIBRARY_VERSION_MINOR)."
        let loaded = unsafe String(cString: lws_get_library_version())
        guard loaded.hasPrefix(built) else {
            let reason =
                "this program was built with libwebsockets \(built)x, but \(loaded) is loaded; build it again, or "
                + "install that version"
            return Fault(reason)
        }
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, SocketAddress.streamType, 0, &ends) == 0 else {
            return Fault(systemError: errno)
        }
        defer { close(ends[1]) }
        guard let fault = unsafe LWSSelfCheck().run(in: context, vhost, ends) else { return nil }
        return Fault("libwebsockets \(loaded) \(fault)")
    }

    @unsafe private func run(in context: OpaquePointer, _ vhost: OpaquePointer, _ ends: [Int32]) -> String? {
        guard let wsi = unsafe CLWS_adopt(vhost, ends[0], Self.protocolName) else {
            close(ends[0])
            return "does not adopt a descriptor"
        }
        // The pointer is not retained: this object lives until the descriptor is closed below.
        unsafe lws_set_opaque_user_data(wsi, Unmanaged.passUnretained(self).toOpaque())
        var byte: UInt8 = 1
        unsafe write(ends[1], &byte, 1)
        unsafe serve(context) { readable > 0 }
        unsafe lws_rx_flow_control(wsi, 0)
        let heard = readable
        unsafe lws_callback_on_writable(wsi)
        unsafe serve(context) { writable > 0 }
        let isQuiet = readable == heard
        unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
        // The byte was never read, so the end may look like a reset.
        let isClosed = unsafe read(ends[1], &byte, 1) == 0 || errno == ECONNRESET
        if heard == 0 { return "does not report received bytes" }
        if !isQuiet { return "does not stop reporting received bytes" }
        if writable == 0 { return "does not report room to write" }
        if closed != 1 || !isClosed { return "does not close a descriptor" }
        return nil
    }

    /// Calls lws, without waiting, until the condition holds or a number of calls was made.
    @unsafe private func serve(_ context: OpaquePointer, until condition: () -> Bool) {
        for _ in 0..<16 where !condition() {
            unsafe lws_cancel_service(context)
            unsafe lws_service(context, 0)
        }
    }
}
