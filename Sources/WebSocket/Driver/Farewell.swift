// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Parts from a peer, when nobody waits for the connection any more: writes what is left, ends this side, and lets the
/// peer end its own.
///
/// To close at once would reset a connection on which something is still received, and the peer would then lose what
/// was sent last: a CLOSE frame, or the answer to a request.
final class Farewell: DescriptorOwner {
    private unowned let context: LWSContext
    private let stream: ByteStream
    private let descriptor: LWSDescriptor
    private var bytes: ByteQueue
    private let awaitsPeer: Bool
    private var timer: LWSTimer?
    private var discardedBytes = 0
    private var hasEndedWriting = false
    /// The descriptor is closed, or about to be: its number may be another's.
    private var isOver = false

    /// The peer has so long to end its side, and the connection ends sooner when it sends more than this instead.
    private static let patience: Int64 = 1_000_000_000
    private static let maximumDiscardedBytes = 8 << 20

    /// - Parameters:
    ///   - bytes: What goes out as the last.
    ///   - time: For writing that.
    ///   - awaitsPeer: The peer is to end its side first.
    static func start(
        _ bytes: ByteQueue, on stream: ByteStream, _ descriptor: LWSDescriptor, in context: LWSContext,
        within time: Duration, awaitsPeer: Bool
    ) {
        let farewell = Farewell(bytes, stream, descriptor, context, awaitsPeer: awaitsPeer)
        descriptor.owner = farewell
        descriptor.setReading(true)
        farewell.timer = LWSTimer(context: context) { [unowned farewell] in farewell.end() }
        farewell.timer?.schedule(noLaterThan: MonotonicClock.now + time.wholeNanoseconds)
        farewell.write()
    }

    private init(
        _ bytes: ByteQueue, _ stream: ByteStream, _ descriptor: LWSDescriptor, _ context: LWSContext, awaitsPeer: Bool
    ) {
        self.bytes = bytes
        self.stream = stream
        self.descriptor = descriptor
        self.context = context
        self.awaitsPeer = awaitsPeer
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

    func readable() {
        guard !isOver else { return }
        switch unsafe stream.read(into: context.readBuffer) {
        case .bytes(let count):
            discardedBytes += count
            if discardedBytes > Self.maximumDiscardedBytes { return end() }
            if stream.hasHiddenBytes { context.readAgain(self) }
        case .blocked:
            break
        case .ended, .failed:
            end()
        }
    }
}
