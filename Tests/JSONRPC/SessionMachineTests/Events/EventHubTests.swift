// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60)))
struct EventHubTests {
    private let hub = EventHub(capacity: 2)

    @Test func aCancelledWaitTakesNoEvent() async {
        let events = hub.subscribe()
        for isLate in [false, true] {
            let wait = Task { await hub.next(0) }
            if isLate { #expect(await untilTrue { hub.waitingCount == 1 }) }
            wait.cancel()
            #expect(await wait.value == nil)
            hub.publish(.stateChanged(.closing))
            #expect(isState(await hub.next(0), .closing))
        }
        withExtendedLifetime(events) {}
    }

    @Test func aSecondWaitOfAReaderEndsTheFirst() async {
        let events = hub.subscribe()
        let first = Task { await hub.next(0) }
        #expect(await untilTrue { hub.waitingCount == 1 })
        let second = Task { await hub.next(0) }
        #expect(await first.value == nil)
        hub.publish(.stateChanged(.open))
        #expect(isState(await second.value, .open))
        withExtendedLifetime(events) {}
    }

    @Test func readersWhoAreBehindHearHowMuchTheyMissed() async {
        let readers = [hub.subscribe(), hub.subscribe()]
        for _ in 0..<5 { hub.publish(.stateChanged(.open)) }
        for id: UInt64 in 0...1 {
            if case .missed(3)? = await hub.next(id) {} else { Issue.record("reader \(id) missed three") }
            for _ in 2...3 { #expect(isState(await hub.next(id), .open)) }
        }
        withExtendedLifetime(readers) {}
    }

    @Test func errorsInEventsCountTheirBytes() throws {
        let large = String(repeating: "a", count: 1 << 20)
        let answered = ErrorObject(code: 1, message: "", data: RawJSON(unchecked: Array(large.utf8)))
        var received = ClientError(.protocolViolation, "m", delivery: .answered)
        received.received = [UInt8](repeating: 0x20, count: 1 << 20)
        let decoding = #expect(throws: DecodingError.self) {
            try WireJSONDecoder().decode([String: Int].self, from: Array(#"{"\#(large)":"x"}"#.utf8))
        }
        let cause = ClientError(.decodingFailed, "m", cause: answered, delivery: .answered)
        for error in [answered, received, try #require(decoding), cause, CallError.answered(answered)] as [any Error] {
            #expect(SessionEvent.handlerFailed(method: "m", error).byteCount >= 1 << 20, "\(type(of: error))")
            #expect(SessionEvent.subscription(.unsubscribeFailed(method: "m", nil, error)).byteCount >= 1 << 20)
        }
        #expect(SessionEvent.connectFailed(received, retryAfter: nil).byteCount >= 1 << 20)
    }

    /// If nothing takes the events, their memory must not grow with the peer's messages.
    @Test func eventsOfMoreThan64MiBAreNotKept() async {
        let hub = EventHub(capacity: 256)
        let events = hub.subscribe()
        let size = 16 << 20
        for _ in 0..<8 {
            let bytes = [UInt8](repeating: 0x20, count: size)
            let message = SessionEvent.IrregularMessage(irregularities: [.malformedJSON], bytes: bytes, isBinary: false)
            hub.publish(.irregularMessage(message))
        }
        hub.finish()
        var missed = 0
        var kept = 0
        for await event in events {
            switch event {
            case .missed(let count): missed += count
            case .irregularMessage(let message): kept += message.bytes.count
            default: Issue.record("unexpected event: \(event)")
            }
        }
        #expect(missed == 4)
        #expect(kept == 64 << 20)
    }

    private func isState(_ event: SessionEvent?, _ state: DuplexSession.State) -> Bool {
        if case .stateChanged(state)? = event { true } else { false }
    }
}

@Suite(.inTurn) struct IrregularMessageTests {
    @Test func itsDescriptionSaysWhatIsWrongAndHowItBegins() {
        var message = SessionEvent.IrregularMessage(
            irregularities: [.notAMessage], bytes: Array("[\u{7}]".utf8), isBinary: false)
        #expect(message.text == "[\u{7}]")
        #expect(message.description == #"\#(message.irregularities): [\u{07}]"#)
        message.bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        #expect(message.description.hasSuffix("xxx…"))
        #expect(message.description.count < 300)
    }
}
