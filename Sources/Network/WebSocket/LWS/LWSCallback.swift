// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The function that lws calls for all events.
///
/// It always returns zero. Any other value would make lws close the descriptor, which ``LWSDescriptor/close()`` does.
let lwsCallback:
    @convention(c) (
        OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
    ) -> Int32 = { wsi, reason, _, _, _ in
        switch reason {
        case LWS_CALLBACK_RAW_RX_FILE: unsafe descriptor(of: wsi)?.becameReadable()
        case LWS_CALLBACK_RAW_WRITEABLE_FILE: unsafe descriptor(of: wsi)?.becameWritable()
        case LWS_CALLBACK_RAW_CLOSE_FILE: unsafe descriptor(of: wsi)?.isClosing()
        // Other events, such as a wake-up, need no action here: the mailbox is emptied when lws has returned.
        default: break
        }
        return 0
    }

@unsafe private func descriptor(of wsi: OpaquePointer?) -> LWSDescriptor? {
    // The pointer is set when the descriptor gets this wsi, and cleared before the descriptor releases the wsi. The
    // context holds the descriptor for that time.
    guard let wsi = unsafe wsi, let pointer = unsafe lws_get_opaque_user_data(wsi) else { return nil }
    return unsafe Unmanaged<LWSDescriptor>.fromOpaque(pointer).takeUnretainedValue()
}
