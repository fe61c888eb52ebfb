// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The one function lws calls.
///
/// It returns zero always: what is non-zero would have lws close the descriptor, which ``LWSDescriptor/close()`` does.
let lwsCallback:
    @convention(c) (
        OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
    ) -> Int32 = { wsi, reason, _, _, _ in
        switch reason {
        case LWS_CALLBACK_RAW_RX_FILE: unsafe descriptor(of: wsi)?.becameReadable()
        case LWS_CALLBACK_RAW_WRITEABLE_FILE: unsafe descriptor(of: wsi)?.becameWritable()
        case LWS_CALLBACK_RAW_CLOSE_FILE: unsafe descriptor(of: wsi)?.isClosing()
        // Among the others is the one for a wake-up: the mailbox is emptied when lws has returned.
        default: break
        }
        return 0
    }

@unsafe private func descriptor(of wsi: OpaquePointer?) -> LWSDescriptor? {
    // Set when the descriptor got this wsi, and cleared before it lets go of it; the context holds it that long.
    guard let wsi = unsafe wsi, let pointer = unsafe lws_get_opaque_user_data(wsi) else { return nil }
    return unsafe Unmanaged<LWSDescriptor>.fromOpaque(pointer).takeUnretainedValue()
}
