// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets

/// Learns on the service thread what the descriptor it holds is ready for.
protocol DescriptorOwner: AnyObject {
    /// There is something to read, or the end of it.
    func readable()
    /// There is room to write, after ``LWSDescriptor/awaitRoom()``.
    func writable()
    /// lws has found the descriptor dead, and closes it when this returns. What was received can still be read.
    func closing()
}

/// A descriptor in an lws context, which polls it and closes it. Only its owner reads and writes it.
@safe final class LWSDescriptor {
    let number: Int32
    private unowned let context: LWSContext
    /// Holds this in turn, until the descriptor is closed.
    var owner: (any DescriptorOwner)?
    @unsafe private var wsi: OpaquePointer?
    private var awaitsRoom = false
    private(set) var isReading = true

    /// Has the context poll the descriptor, for reading. `nil` when lws cannot: then the descriptor is the caller's still.
    init?(_ number: Int32, context: LWSContext) {
        self.number = number
        self.context = context
        guard let wsi = unsafe CLWS_adopt(context.vhost, number, LWSProcess.protocolName) else { return nil }
        unsafe self.wsi = wsi
        // Not retained: the context holds each descriptor until lws has let go of its wsi.
        unsafe lws_set_opaque_user_data(wsi, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Has ``DescriptorOwner/writable()`` called once, when there is room to write.
    func awaitRoom() {
        context.assertOnThread()
        guard unsafe wsi != nil, !awaitsRoom else { return }
        awaitsRoom = true
        context.afterService { [self] in
            // lws 4.1 forgets a request that is made while it tells of room.
            if awaitsRoom, let wsi = unsafe wsi { unsafe lws_callback_on_writable(wsi) }
        }
    }

    /// Stops or starts to poll for reading.
    func setReading(_ isReading: Bool) {
        context.assertOnThread()
        guard let wsi = unsafe wsi, isReading != self.isReading else { return }
        self.isReading = isReading
        unsafe lws_rx_flow_control(wsi, isReading ? 1 : 0)
    }

    /// Closes the descriptor. Its owner hears nothing more.
    func close() {
        context.assertOnThread()
        owner = nil
        awaitsRoom = false
        context.afterService { [self] in
            // lws may have found it dead, and closed it, in the meantime.
            guard let wsi = unsafe wsi else { return }
            // The process may reuse the number as soon as lws has closed it.
            context.forget(self)
            unsafe self.wsi = nil
            unsafe lws_set_opaque_user_data(wsi, nil)
            unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_SYNC)
        }
    }

    // MARK: For lws

    func becameReadable() { owner?.readable() }

    func becameWritable() {
        awaitsRoom = false
        owner?.writable()
    }

    /// lws closes the descriptor next.
    func isClosing() {
        unsafe wsi = nil
        context.forget(self)
        let owner = owner
        self.owner = nil
        owner?.closing()
    }
}
