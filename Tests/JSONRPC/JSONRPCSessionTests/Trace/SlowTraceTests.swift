// swift-jsonrpc · SPDX-License-Identifier: MIT

import MessageTransport
import Synchronization
import TestSupport
import TestTurns
import Testing

@testable import JSONRPCSession

/// Messages that arrive while a trace closure runs.
@Suite(.inTurn) struct SlowTraceTests {
    private let log = EventLog<WireTraceEvent>()

    private static func message(_ count: Int) -> InboundMessage {
        InboundMessage(content: .owned([UInt8](repeating: 0x20, count: count)), isBinary: false)
    }

    /// A tracer whose closure receives these messages while it handles the first one.
    private func tracer(receiving sizes: [Int]) throws -> WireTracer {
        let (log, own) = (log, Own())
        var configuration = SessionConfiguration()
        configuration.diagnostics.trace = { event in
            log.record(event)
            guard log.elements.count == 1, let tracer = own.tracer.withLock({ $0 }) else { return }
            for size in sizes { tracer.received(Self.message(size)) }
            tracer.deliver()
        }
        let tracer = try #require(WireTracer(configuration))
        own.tracer.withLock { $0 = tracer }
        return tracer
    }

    private final class Own: Sendable {
        let tracer = Mutex<WireTracer?>(nil)
    }

    @Test func messagesBeyond16MiBAreCountedInPlaceOfBeingKept() throws {
        let tracer = try tracer(receiving: Array(repeating: 1 << 20, count: 20))
        tracer.received(Self.message(1))
        tracer.deliver()
        #expect(log.elements.map(\.bytes.count) == [1] + Array(repeating: 1 << 20, count: 15) + [1])
        #expect(log.elements.last?.direction == .missed)
        #expect(log.elements.last?.text == "5")
        tracer.received(Self.message(7))
        tracer.deliver()
        #expect(log.elements.last?.bytes.count == 7)
    }

    @Test func aMessageThatIsLongerIsTracedIfNoneWaits() throws {
        let tracer = try tracer(receiving: [17 << 20, 1])
        tracer.received(Self.message(1))
        tracer.deliver()
        #expect(log.elements.map(\.direction) == [.received, .received, .missed])
        #expect(log.elements.map(\.bytes.count) == [1, 17 << 20, 1])
    }
}
