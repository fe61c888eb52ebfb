// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The last step of a connection, after the receiver was notified of its end. It writes the remaining bytes, ends this
/// side, and gives the peer time to end its side. Closing at once would reset the connection if bytes still arrive. The
/// peer would then lose the last bytes that were sent, such as a CLOSE frame or the answer to a request.
final class LingeringClose: StreamReader {
    unowned let context: LWSContext
    let stream: ByteStream
    private let descriptor: LoopDescriptor
    private var bytes: ByteQueue
    private let awaitsPeer: Bool
    private var timer: LWSTimer?
    private var discardedBytes = 0
    private var hasEndedWriting = false
    /// Whether the descriptor is closed or about to be. Its number may already be in use for another file.
    private var isOver = false

    /// The time for the peer to end its side. The connection ends sooner if the peer sends more bytes than the limit
    /// below.
    private static let patience: Int64 = 1_000_000_000
    private static let maximumDiscardedBytes = 8 << 20

    /// Writes the last bytes within a time, and ends the connection, after the peer's side if `awaitsPeer` is true.
    @discardableResult
    init(
        _ bytes: ByteQueue, on stream: ByteStream, _ descriptor: LoopDescriptor, in context: LWSContext,
        within time: Duration, awaitsPeer: Bool
    ) {
        self.bytes = bytes
        self.stream = stream
        self.descriptor = descriptor
        self.context = context
        self.awaitsPeer = awaitsPeer
        descriptor.setOwner(self)
        descriptor.setReading(true)
        timer = LWSTimer(context: context) { [unowned self] in end() }
        timer?.schedule(noLaterThan: MonotonicClock.now + time.wholeNanoseconds)
        write()
    }

    private func write() {
        guard !isOver, !hasEndedWriting else { return }
        switch bytes.write(to: stream) {
        case .blocked: return descriptor.awaitRoom()
        case .failed: return end()
        case .bytes: break
        }
        hasEndedWriting = true
        stream.endWriting()
        guard awaitsPeer, !context.isStopping else { return end() }
        timer?.cancel()
        timer?.schedule(noLaterThan: MonotonicClock.now + Self.patience)
        if stream.hasHiddenBytes { context.readAgain(self) }
    }

    private func end() {
        isOver = true
        timer?.cancel()
        descriptor.close()
    }

    func writable() { write() }

    func closing() {
        isOver = true
        timer?.cancel()
    }

    var wantsBytes: Bool { !isOver }

    func readable() {
        guard !isOver else { return }
        readOnce()
        if !isOver, stream.hasHiddenBytes { context.readAgain(self) }
    }

    @unsafe func received(_ bytes: UnsafeMutableRawBufferPointer) {
        discardedBytes += bytes.count
        if discardedBytes > Self.maximumDiscardedBytes { end() }
    }

    func streamEnded(_ fault: SocketFault?) { end() }
}
