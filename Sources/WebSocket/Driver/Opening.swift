// swift-jsonrpc · SPDX-License-Identifier: MIT

/// An opening handshake that is going on: TLS, then HTTP. What it says and hears is a subclass's affair.
class Opening: DescriptorOwner {
    unowned let context: LWSContext
    private(set) var stream: ByteStream
    let descriptor: LWSDescriptor
    private var isInTLS: Bool
    private var outgoing = ByteQueue()
    private var head: HTTPHeadReader
    private var timer: LWSTimer?
    private(set) var isOver = false

    /// - Parameters:
    ///   - start: What the peer's head has to begin with.
    ///   - timeout: Until ``timedOut()``.
    init(
        _ stream: ByteStream, _ descriptor: LWSDescriptor, _ context: LWSContext, head start: String, timeout: Duration
    ) {
        self.context = context
        self.stream = stream
        self.descriptor = descriptor
        head = HTTPHeadReader(start: start)
        if case .tls = stream { isInTLS = true } else { isInTLS = false }
        descriptor.owner = self
        timer = LWSTimer(context: context) { [unowned self] in timedOut() }
        timer?.schedule(noLaterThan: MonotonicClock.now + timeout.wholeNanoseconds)
    }

    // MARK: For subclasses

    /// Goes on as far as it goes without the peer.
    func advance() {
        guard !isOver else { return }
        if isInTLS {
            guard case .tls(let tls) = stream else { return }
            switch tls.handshake() {
            case .awaitsBytes: return
            case .awaitsRoom: return descriptor.awaitRoom()
            case .failed(let fault): return failed(fault, inTLS: true)
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

    /// No other event comes; the descriptor is the caller's to pass on or close.
    final func finish() {
        isOver = true
        timer?.cancel()
    }

    /// What was not written.
    final var unwritten: ByteQueue { outgoing }

    func tlsDone() {}
    func timedOut() {}
    /// - Parameter fault: `nil` when the peer has ended the connection.
    func failed(_ fault: StreamFault?, inTLS: Bool) {}
    /// - Parameter rest: What was received behind the head.
    @unsafe func received(_ head: HTTPHead, rest: UnsafeMutableRawBufferPointer) {}
    /// What comes is no head.
    func receivedMalformed(_ fault: HTTPHead.Malformed) {}

    // MARK: Events

    private func write() {
        switch outgoing.write(to: stream) {
        case .bytes: break
        case .blocked: descriptor.awaitRoom()
        // What the peer has said before it closed says more.
        case .failed(let fault): readToEnd(because: fault)
        }
    }

    func writable() { advance() }

    func closing() { readToEnd(because: nil) }

    func readable() {
        guard !isOver else { return }
        if isInTLS { return advance() }
        readOnce()
        if !isOver, stream.hasHiddenBytes { context.readAgain(self) }
    }

    private func readToEnd(because fault: StreamFault?) {
        while !isOver, !isInTLS, readOnce() {}
        if !isOver { failed(fault, inTLS: isInTLS) }
    }

    /// False when there was nothing.
    @discardableResult private func readOnce() -> Bool {
        switch unsafe stream.read(into: context.readBuffer) {
        case .bytes(let count):
            unsafe take(UnsafeMutableRawBufferPointer(rebasing: context.readBuffer[..<count]))
            return true
        case .blocked:
            return false
        case .ended:
            failed(nil, inTLS: false)
            return false
        case .failed(let fault):
            failed(fault, inTLS: false)
            return false
        }
    }

    @unsafe private func take(_ bytes: UnsafeMutableRawBufferPointer) {
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
