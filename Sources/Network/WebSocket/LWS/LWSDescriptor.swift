// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// The owner of a descriptor. It is called on the service thread.
protocol DescriptorOwner: AnyObject {
    /// Tells the owner that there are bytes to read, or the end of the stream.
    func readable()
    /// Tells the owner that there is room to write, after ``LWSDescriptor/awaitRoom()``.
    func writable()
    /// Tells the owner that lws has found the descriptor dead, and closes it when this method returns. Received bytes
    /// can still be read.
    func closing()
}

/// A descriptor that an lws context polls and closes. Only its owner reads and writes it.
@safe final class LWSDescriptor {
    let number: Int32
    private unowned let context: LWSContext
    /// The owner, which also holds the descriptor. The cycle is broken when the descriptor is closed.
    var owner: (any DescriptorOwner)?
    @unsafe private var wsi: OpaquePointer?
    private var awaitsRoom = false
    private(set) var isReading = true

    /// Makes the context poll a descriptor for reading. Returns `nil` if lws cannot poll it. The caller must then close
    /// it.
    init?(_ number: Int32, context: LWSContext) {
        self.number = number
        self.context = context
        guard let wsi = unsafe CLWS_adopt(context.raw.vhost, number, LWSProcess.protocolName) else { return nil }
        unsafe self.wsi = wsi
        // Not retained: the context holds each descriptor until lws has let go of its wsi.
        unsafe lws_set_opaque_user_data(wsi, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Requests one call of ``DescriptorOwner/writable()``, when there is room to write.
    func awaitRoom() {
        context.assertOnThread()
        guard unsafe wsi != nil, !awaitsRoom else { return }
        awaitsRoom = true
        context.afterService { [self] in
            // lws 4.1 drops a request that is made during its callback for room.
            if awaitsRoom, let wsi = unsafe wsi { unsafe lws_callback_on_writable(wsi) }
        }
    }

    func setReading(_ isReading: Bool) {
        context.assertOnThread()
        guard let wsi = unsafe wsi, isReading != self.isReading else { return }
        self.isReading = isReading
        unsafe lws_rx_flow_control(wsi, isReading ? 1 : 0)
    }

    /// Closes the descriptor. Its owner gets no more calls.
    func close() {
        context.assertOnThread()
        owner = nil
        awaitsRoom = false
        context.afterService { [self] in
            // lws may have found the descriptor dead and closed it meanwhile.
            guard let wsi = unsafe wsi else { return }
            // The process may reuse the number as soon as lws has closed it.
            context.forget(self)
            unsafe self.wsi = nil
            unsafe lws_set_opaque_user_data(wsi, nil)
            unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
        }
    }

    /// The function that lws calls for all events. It always returns zero. Any other value would make lws close the
    /// descriptor, which ``close()`` does.
    static let callback:
        @convention(c) (
            OpaquePointer?, lws_callback_reasons, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int
        ) -> Int32 = { wsi, reason, _, _, _ in
            // The pointer is set when the descriptor gets this wsi, and cleared before the descriptor releases the wsi.
            // The context holds the descriptor for that time.
            guard let wsi = unsafe wsi, let pointer = unsafe lws_get_opaque_user_data(wsi) else { return 0 }
            let descriptor = unsafe Unmanaged<LWSDescriptor>.fromOpaque(pointer).takeUnretainedValue()
            switch reason {
            case LWS_CALLBACK_RAW_RX_FILE:
                // The owner may resume tasks of other threads, whose messages need not wake this thread.
                descriptor.context.thread.endWaiting()
                descriptor.owner?.readable()
            case LWS_CALLBACK_RAW_WRITEABLE_FILE:
                descriptor.awaitsRoom = false
                descriptor.owner?.writable()
            case LWS_CALLBACK_RAW_CLOSE_FILE: descriptor.isClosing()
            // Other events, such as a wake-up, need no action here: the mailbox is emptied when lws has returned.
            default: break
            }
            return 0
        }

    /// Called before lws closes the descriptor.
    private func isClosing() {
        unsafe wsi = nil
        context.forget(self)
        let owner = owner
        self.owner = nil
        owner?.closing()
    }
}
