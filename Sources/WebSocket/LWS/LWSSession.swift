// swift-jsonrpc · SPDX-License-Identifier: MIT

import CLibwebsockets
import Logging

/// A connection, as its service thread sees it: it holds the wsi, calls lws, and feeds the state machines.
@safe final class LWSSession {
    let id: UInt64
    let isClient: Bool
    unowned let context: LWSContext
    let connection: WebSocketConnection
    let handler: any WebSocketHandler
    /// Set from the time lws makes it until it says that it is destroyed.
    @unsafe var wsi: OpaquePointer?

    // The opening handshake; `nil` once it is over, and on accepted connections.
    var dial: DialAttempt?

    // The established connection.
    var machine = ConnectionStateMachine()
    var isEstablished = false
    var assembler: MessageAssembler
    var keepalive: KeepaliveStateMachine?
    var pendingPing: UInt64?
    var isReading = true
    /// The kernel tells of a TCP socket when its last byte came; of others we have to keep account.
    var isTCP = true
    var lastByteAt: Int64 = .min / 2

    /// Frames taken from the outbox, written chunk by chunk.
    var writing = FrameBuffer(headRoom: Int(CLWS_PRE))
    var nextChunk = 0
    /// A write is going on, and what it has the handler enqueue comes after it.
    var isWriting = false
    var arrivals = ArrivalCount()
    /// The handler has been told of messages in this turn of the event loop.
    var isInRead = false

    // Deadlines in nanoseconds of `MonotonicClock`; one timer serves them all.
    var deadlines = Deadlines()
    private var timer: LWSTimer?

    struct Deadlines {
        var dial: Int64?
        var close: Int64?
        var reading: Int64?
        /// When the peer's death is looked for, while reading is suspended.
        var deathCheck: Int64?
        /// When lws's own time for the peer's CLOSE frame is prolonged: ours counts.
        var closeAnswer: Int64?
    }

    var configuration: WebSocketConfiguration { connection.configuration }

    private init(context: LWSContext, connection: WebSocketConnection, handler: any WebSocketHandler, isClient: Bool) {
        id = connection.id
        self.isClient = isClient
        self.context = context
        self.connection = connection
        self.handler = handler
        assembler = MessageAssembler(maximumMessageBytes: connection.configuration.maximumMessageBytes)
        timer = LWSTimer(context: context) { [unowned self] in timerFired() }
    }

    convenience init(context: LWSContext, dialling request: DialRequest) {
        self.init(context: context, connection: request.connection, handler: request.handler, isClient: true)
        dial = DialAttempt(request: request)
        deadlines.dial = MonotonicClock.now + request.timeout.wholeNanoseconds
    }

    /// An accepted connection, whose upgrade has been agreed to.
    @unsafe convenience init(
        context: LWSContext, accepted wsi: OpaquePointer, connection: WebSocketConnection,
        handler: any WebSocketHandler
    ) {
        self.init(context: context, connection: connection, handler: handler, isClient: false)
        unsafe self.wsi = wsi
        // Not retained: the context holds each session until lws has destroyed its socket.
        unsafe lws_set_opaque_user_data(wsi, Unmanaged.passUnretained(self).toOpaque())
    }

    // MARK: Opening

    /// The opening handshake is done.
    func established() -> Int32 {
        isEstablished = true
        dial?.isEstablished = true
        deadlines.dial = nil
        if let wsi = unsafe wsi {
            unsafe lws_set_timeout(wsi, NO_PENDING_TIMEOUT, 0)
            isTCP = unsafe LWSSocket.isTCP(lws_get_socket_fd(wsi))
        }
        if let interval = configuration.pingInterval {
            keepalive = KeepaliveStateMachine(
                interval: interval, timeout: configuration.pingTimeout, now: MonotonicClock.now)
        }
        schedule()
        let completion = dial?.request.completion
        dial = nil
        configuration.logger?.debug("websocket open", metadata: ["websocket.connection": "\(id)"])
        handler.opened(connection)
        completion?(.success(()))
        return 0
    }

    // MARK: Closing

    /// This side wants to close, with what is queued sent first.
    func close(code: UInt16, reason: String, deadline: Duration) {
        guard isEstablished else { return giveUpOpening() }
        let due = MonotonicClock.now + deadline.wholeNanoseconds
        switch machine.closeRequested(code: code, reason: reason) {
        case .flush:
            connection.closeOutbox()
            deadlines.close = due
            // Else the peer's CLOSE frame could not be read.
            setReading(true)
            requestWritable()
        case .shortenDeadline:
            deadlines.close = min(deadlines.close ?? due, due)
        case .doNothing:
            return
        }
        schedule()
    }

    /// The event loop ends.
    func eventLoopStops(deadline: Duration) {
        if isEstablished {
            close(code: WebSocketCloseCode.goingAway.rawValue, reason: "", deadline: deadline)
        } else {
            giveUpOpening()
        }
    }

    /// The opening handshake is not to be waited for any more.
    private func giveUpOpening() {
        if isClient { return abandonDial() }
        if machine.phase == .open { kill() }
    }

    /// The peer broke a rule: tell it, then close.
    func fail(code: WebSocketCloseCode, reason: String, error: WebSocketError) {
        var error = error
        error.closeCode = code
        guard machine.failed(code: code.rawValue, reason: reason, error: error) == .flush else { return }
        connection.closeOutbox()
        deadlines.close = MonotonicClock.now + configuration.closeTimeout.wholeNanoseconds
        setReading(true)
        schedule()
        requestWritable()
    }

    /// Ends the connection without a handshake.
    func drop(_ error: WebSocketError) {
        guard machine.dropRequested(error) == .drop else { return }
        keepalive = nil
        connection.closeOutbox()
        kill()
    }

    /// The peer's CLOSE frame came; lws answers it by itself, when the socket takes bytes.
    @unsafe func peerCloseReceived(_ bytes: UnsafeRawBufferPointer) {
        var code = WebSocketCloseCode.noStatusReceived.rawValue
        var reason = ""
        if bytes.count >= 2 {
            code = unsafe UInt16(bytes[0]) << 8 | UInt16(bytes[1])
            reason = unsafe String(decoding: bytes.dropFirst(2), as: UTF8.self)
        }
        connection.closeOutbox()
        machine.peerCloseReceived(code: code, reason: reason)
        let due = MonotonicClock.now + configuration.closeTimeout.wholeNanoseconds
        deadlines.close = min(deadlines.close ?? due, due)
        schedule()
    }

    /// An established connection's socket is closed.
    func socketClosed() {
        guard isEstablished else { return }
        tellClosure()
    }

    /// Tells the handler of the end, once.
    private func tellClosure() {
        isEstablished = false
        timer?.cancel()
        deadlines = Deadlines()
        let lwsLength = unsafe wsi.map { unsafe lws_get_close_length($0) } ?? 0
        let lwsCode: UInt16? =
            lwsLength >= 2
            ? unsafe wsi.flatMap { unsafe lws_get_close_payload($0) }.map { unsafe UInt16($0[0]) << 8 | UInt16($0[1]) }
            : nil
        let unsentFrom = connection.endOutbox()
        guard let ending = machine.socketClosed(lwsCode: lwsCode) else { return }
        logClosure(initiator: ending.initiator, code: ending.code, error: ending.error)
        endRead()
        handler.closed(
            WebSocketClosure(
                initiator: ending.initiator, code: WebSocketCloseCode(rawValue: ending.code), reason: ending.reason,
                error: ending.error, unsentFrom: unsentFrom))
    }

    private func logClosure(initiator: WebSocketClosure.Initiator, code: UInt16, error: WebSocketError?) {
        configuration.logger?.debug(
            "websocket closed",
            metadata: [
                "websocket.connection": "\(id)", "websocket.initiator": "\(initiator)", "websocket.code": "\(code)",
                "websocket.error": "\(error.map { "\($0.code)" } ?? "none")",
            ])
    }

    /// lws lets go of the wsi: the last call about it.
    func wsiDestroyed() {
        unsafe wsi = nil
        // An accepted connection's handler waits for its end also when the opening handshake failed after all.
        if isEstablished || !isClient { tellClosure() }
        if dial != nil {
            dial?.isDestroyed = true
            attemptEnded()
        } else {
            end()
        }
    }

    /// The context is about to go, and the wsi with it.
    func leave() {
        if let wsi = unsafe wsi { unsafe lws_set_opaque_user_data(wsi, nil) }
        socketClosed()
        unsafe wsi = nil
        if !isClient { tellClosure() }
        settleDial(.failure(WebSocketError(.eventLoopsStopped, "The event loops are shut down.")))
        end()
    }

    /// Nothing more will happen.
    func end() {
        timer?.cancel()
        context.remove(self)
    }

    /// Has lws close the socket, soon and without ceremony.
    func kill() {
        context.assertOnThread()
        guard let wsi = unsafe wsi else { return }
        // A wsi has one timeout: to prolong the wait for the peer's CLOSE frame would take this one back.
        deadlines.closeAnswer = nil
        unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC)
    }

    // MARK: Timers

    /// Sets the timer to the earliest deadline.
    func schedule() {
        let earliest = [
            deadlines.dial, deadlines.close, deadlines.closeAnswer, deadlines.reading, deadlines.deathCheck,
            keepalive?.nextDeadline,
        ].compactMap { $0 }.min()
        guard let earliest else { return timer?.cancel() ?? () }
        timer?.schedule(after: .nanoseconds(max(earliest - MonotonicClock.now, 0)))
    }

    /// Less than the five seconds that lws waits.
    static var closeAnswerInterval: Int64 { 1_000_000_000 }

    private func timerFired() {
        let now = MonotonicClock.now
        if let due = deadlines.dial, due <= now {
            deadlines.dial = nil
            settleDial(.failure(WebSocketError(.connectTimeout, "The connection did not stand in time.")))
            return
        }
        if let due = deadlines.close, due <= now {
            deadlines.close = nil
            drop(WebSocketError(.closeTimeout, "The closing handshake was not done in time."))
        }
        if let due = deadlines.closeAnswer, due <= now, let wsi = unsafe wsi {
            deadlines.closeAnswer = now + Self.closeAnswerInterval
            unsafe lws_set_timeout(wsi, PENDING_TIMEOUT_CLOSE_ACK, 60)
        }
        if isEstablished {
            readingDeadlines(now)
            keepaliveDeadline(now)
        }
        if isEstablished || dial != nil { schedule() }
    }
}
