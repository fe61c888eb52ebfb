// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing

@testable import JSONRPCSession

@Suite(.inTurn(within: .seconds(60)))
struct EventHubTests {
    private let hub = EventHub(capacity: 2)

    private func next(_ reader: UInt64, wait: UInt64) async -> SessionEvent? {
        await withCheckedContinuation { hub.take(reader, wait: wait, $0) }
    }

    @Test func aCancellationThatComesTooLateEndsNoLaterWait() async {
        let events = hub.subscribe()
        hub.publish(.stateChanged(.open))
        #expect(isState(await next(0, wait: 1), .open))
        hub.stopWaiting(0, wait: 1)
        hub.publish(.stateChanged(.closing))
        #expect(isState(await next(0, wait: 2), .closing))
        withExtendedLifetime(events) {}
    }

    @Test func aCancellationThatComesFirstEndsItsWait() async {
        let events = hub.subscribe()
        hub.stopWaiting(0, wait: 1)
        #expect(await next(0, wait: 1) == nil)
        withExtendedLifetime(events) {}
    }

    @Test func readersWhoAreBehindHearHowMuchTheyMissed() async {
        let readers = [hub.subscribe(), hub.subscribe()]
        for _ in 0..<5 { hub.publish(.stateChanged(.open)) }
        for id: UInt64 in 0...1 {
            if case .missed(3)? = await next(id, wait: 1) {} else { Issue.record("reader \(id) missed three") }
            for wait: UInt64 in 2...3 { #expect(isState(await next(id, wait: wait), .open)) }
        }
        withExtendedLifetime(readers) {}
    }

    /// Nobody takes the events: what they hold must not grow with what the peer sends.
    @Test func eventsOfMoreThan64MiBAreNotKept() async {
        let hub = EventHub(capacity: 256)
        let events = hub.subscribe()
        let size = 16 << 20
        for _ in 0..<8 {
            let bytes = [UInt8](repeating: 0x20, count: size)
            let message = IrregularMessage(irregularities: [.malformedJSON], bytes: bytes, isBinary: false)
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

    private func isState(_ event: SessionEvent?, _ state: SessionState) -> Bool {
        if case .stateChanged(state)? = event { true } else { false }
    }
}

@Suite(.inTurn) struct IrregularMessageTests {
    @Test func itsDescriptionSaysWhatIsWrongAndHowItBegins() {
        var message = IrregularMessage(irregularities: [.notAMessage], bytes: Array("[\u{7}]".utf8), isBinary: false)
        #expect(message.text == "[\u{7}]")
        #expect(message.description == #"\#(message.irregularities): [\u{07}]"#)
        message.bytes = [UInt8](repeating: UInt8(ascii: "x"), count: 1000)
        #expect(message.description.hasSuffix("xxx…"))
        #expect(message.description.count < 300)
    }
}
