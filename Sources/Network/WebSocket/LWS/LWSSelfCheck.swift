// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Glibc

/// A check of the loaded lws, once for each process and before the first connection.
///
/// It checks that lws polls descriptors as the event loops need it. lws must report bytes to read, stop reporting them
/// on request, report room to write, and close a descriptor on request.
@safe final class LWSSelfCheck {
    /// The name of the check's protocol.
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
    @unsafe static func fault(of context: OpaquePointer, vhost: OpaquePointer) -> LWSProcess.Failure? {
        let built = "\(LWS_LIBRARY_VERSION_MAJOR).\(LWS_LIBRARY_VERSION_MINOR)."
        let loaded = unsafe String(cString: lws_get_library_version())
        guard loaded.hasPrefix(built) else {
            let reason =
                "this program was built with libwebsockets \(built)x, but \(loaded) is loaded; build it again, or "
                + "install that version"
            return LWSProcess.Failure(code: 0, reason: reason)
        }
        var ends: [Int32] = [-1, -1]
        guard unsafe socketpair(AF_UNIX, SocketAddress.streamType, 0, &ends) == 0 else {
            return LWSProcess.Failure(code: errno, reason: errorText(errno))
        }
        defer { close(ends[1]) }
        guard let fault = unsafe LWSSelfCheck().run(in: context, vhost, ends) else { return nil }
        return LWSProcess.Failure(code: 0, reason: "libwebsockets \(loaded) \(fault)")
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
