// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestTurns
import Testing

@testable import Sockets

/// Descriptors on an event loop, without a connection over them.
@Suite(.inTurn(within: .seconds(60)))
struct LoopDescriptorTests {
    /// An owner of one end of a pair of sockets.
    private final class End: DescriptorOwner {
        let descriptor: LoopDescriptor
        let peer: Int32
        var readableCount = 0
        var onReadable: (End) -> Void
        var onClosing: (End) -> Void = { _ in }

        /// Returns `nil` without free descriptors. With a descriptor that has just been closed, this end gets its number.
        /// If another thread has taken the number, this initializer returns `nil`, too.
        init?(_ context: LWSContext, replacing closed: End? = nil, onReadable: @escaping (End) -> Void) {
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else { return nil }
            if let closed {
                let number = closed.descriptor.number
                closed.close()
                let copy = fcntl(ends[0], F_DUPFD_CLOEXEC, number)
                Glibc.close(ends[0])
                ends[0] = copy
                guard copy == number else {
                    Glibc.close(copy)
                    Glibc.close(ends[1])
                    return nil
                }
            }
            guard let descriptor = context.adopt(ends[0]) else { return nil }
            self.descriptor = descriptor
            peer = ends[1]
            self.onReadable = onReadable
            descriptor.setOwner(self)
        }

        func readable() {
            readableCount += 1
            onReadable(self)
        }
        func writable() {}
        func closing() { onClosing(self) }

        /// Makes this end readable.
        func writeFromPeer() {
            var byte: UInt8 = 1
            write(peer, &byte, 1)
        }
        func close() {
            descriptor.close()
            Glibc.close(peer)
        }
    }

    /// Runs a body on the thread of an event loop. Returns the value that the body passes to `end`, perhaps later.
    private func onLoop<Value: Sendable>(
        _ body: @escaping @Sendable (LWSContext, _ end: @escaping @Sendable (Value?) -> Void) -> Void
    ) async -> Value? {
        let thread = LWSServiceThread()
        let value = await withCheckedContinuation { continuation in
            thread.post(
                LoopCommand { context in
                    body(context) { continuation.resume(returning: $0) }
                } refuse: { _ in
                    continuation.resume(returning: nil)
                })
        }
        await thread.shutDown(deadline: .zero)
        return value
    }

    /// Two descriptors are ready in one pass. The owner of the first closes the second; a new one gets its number.
    @Test func anEventOfAClosedDescriptorDoesNotReachTheNextOfItsNumber() async {
        // Another thread of the process can take the number first.
        for _ in 0..<100 {
            guard let counts = await readableCountsOfNewDescriptor() else { continue }
            #expect(counts == [0, 1])
            return
        }
        Issue.record("The number was taken each time.")
    }

    /// Returns how often the new descriptor was readable: before its peer wrote, and after. Returns `nil` if another
    /// thread took the number.
    private func readableCountsOfNewDescriptor() async -> [Int]? {
        await onLoop { context, end in
            var ends: [End] = []
            var timer: LWSTimer?
            func replace(_ other: End) {
                guard let next = End(context, replacing: other, onReadable: { _ in }) else { return end(nil) }
                timer = LWSTimer(context: context) {
                    let early = next.readableCount
                    next.onReadable = { next in
                        timer?.cancel()
                        end([early, next.readableCount])
                        next.close()
                    }
                    next.writeFromPeer()
                }
                timer?.schedule(noLaterThan: MonotonicClock.now)
            }
            for _ in 0..<2 {
                let made = End(context) { first in
                    for other in ends where other !== first { replace(other) }
                    first.close()
                    ends = []
                }
                guard let made else { return end(nil) }
                ends.append(made)
            }
            for end in ends { end.writeFromPeer() }
        }
    }

    @Test func descriptorsAreClosedAndMadeAgainManyTimes() async {
        let count: Int? = await onLoop { context, end in
            var count = 0
            func next() {
                let made = End(context) { made in
                    made.close()
                    count += 1
                    if count < 2000 { next() } else { end(count) }
                }
                guard let made else { return end(nil) }
                made.writeFromPeer()
            }
            next()
        }
        #expect(count == 2000)
    }

    /// The peer closes with unread bytes, so the connection is reset. This side does not read meanwhile.
    @Test func aResetIsReportedWhileReadingIsOff() async {
        let readableCount: Int? = await onLoop { context, end in
            guard let made = End(context, onReadable: { _ in }) else { return end(nil) }
            made.onClosing = { end($0.readableCount) }
            made.descriptor.setReading(false)
            var byte: UInt8 = 1
            write(made.descriptor.number, &byte, 1)
            made.writeFromPeer()
            Glibc.close(made.peer)
        }
        #expect(readableCount == 0)
    }
}
