// swift-jsonrpc · SPDX-License-Identifier: MIT

/// An opening handshake in progress: TLS, then HTTP. Subclasses write and read the HTTP messages.
class Opening: StreamReader {
    unowned let context: LWSContext
    private(set) var stream: ByteStream
    let descriptor: LWSDescriptor
    private var isInTLS: Bool
    private var outgoing = ByteQueue()
    private var head: HTTPHeadReader
    private var timer: LWSTimer?
    private(set) var isOver = false

    /// Makes an opening.
    ///
    /// - Parameters:
    ///   - start: The text with which the peer's head must begin.
    ///   - timeout: The time after which ``timedOut()`` is called.
    init(
        _ stream: ByteStream, _ descriptor: LWSDescriptor, _ context: LWSContext, head start: String, timeout: Duration
    ) {
        self.context = context
        self.stream = stream
        self.descriptor = descriptor
        head = HTTPHeadReader(start: Array(start.utf8))
        if case .tls = stream { isInTLS = true } else { isInTLS = false }
        descriptor.owner = self
        timer = LWSTimer(context: context) { [unowned self] in timerFired() }
        timer?.schedule(noLaterThan: MonotonicClock.now + timeout.wholeNanoseconds)
    }

    // MARK: For subclasses

    /// Continues the handshake until it must wait for the peer.
    func advance() {
        guard !isOver else { return }
        if isInTLS {
            guard case .tls(let tls) = stream else { return }
            switch tls.handshake() {
            case .awaitsBytes: return
            case .awaitsRoom: return descriptor.awaitRoom()
            case .failed(let fault): return failed(fault)
            case .done:
                isInTLS = false
                tlsDone()
                if stream.hasHiddenBytes { context.readAgain(self) }
            }
        }
        write()
    }

    /// Queues bytes for the peer. They are written once TLS is done.
    final func send(_ bytes: [UInt8]) { outgoing.append(bytes) }

    /// Ends the handshake. No other event follows. The caller must pass the descriptor on or close it.
    final func finish() {
        isOver = true
        timer?.cancel()
    }

    /// The bytes that were not written.
    final var unwritten: ByteQueue { outgoing }

    func tlsDone() {}
    func timedOut() {}
    /// Handles the failure of the stream.
    ///
    /// - Parameter fault: The fault; `nil` if the peer has ended the connection.
    func failed(_ fault: StreamFault?) {}
    /// Handles the peer's head.
    ///
    /// - Parameter rest: The bytes that were received after the head.
    @unsafe func received(_ head: HTTPHead, rest: UnsafeMutableRawBufferPointer) {}
    /// Handles bytes that are not a head.
    func receivedMalformed(_ fault: HTTPHead.Malformed) {}

    // MARK: Events

    private func write() {
        switch outgoing.write(to: stream) {
        case .bytes: break
        case .blocked: descriptor.awaitRoom()
        // The bytes that the peer sent before it closed say more than this fault.
        case .failed(let fault): readToEnd(because: fault)
        }
    }

    private func timerFired() {
        // The rest of the peer's head may wait to be read. This thread may have been busy, or the process suspended.
        if isInTLS { advance() }
        while wantsBytes, readOnce() > 0 {}
        if !isOver { timedOut() }
    }

    func writable() { advance() }

    func closing() {
        readToEnd(because: nil)
        if !isOver { failed(nil) }
    }

    func readable() {
        guard !isOver else { return }
        if isInTLS { return advance() }
        readOnce()
        if !isOver, stream.hasHiddenBytes { context.readAgain(self) }
    }

    /// Whether bytes of the peer's head are awaited. TLS reads the bytes of its own handshake.
    final var wantsBytes: Bool { !isOver && !isInTLS }

    final func streamEnded(_ fault: StreamFault?) { failed(fault) }

    @unsafe final func received(_ bytes: UnsafeMutableRawBufferPointer) {
        var rest = unsafe bytes
        while !isOver, unsafe !rest.isEmpty {
            do {
                let step = unsafe try head.take(UnsafeRawBufferPointer(rest))
                guard case .complete(let head, let consumed) = step else { return }
                unsafe rest = UnsafeMutableRawBufferPointer(rebasing: rest[consumed...])
                unsafe received(head, rest: rest)
            } catch {
                receivedMalformed(error)
                return
            }
        }
    }
}
