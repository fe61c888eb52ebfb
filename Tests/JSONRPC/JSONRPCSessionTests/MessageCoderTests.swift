// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCCore
import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestTurns
import Testing
import WireJSON

private struct Meeting: Codable, Sendable, Equatable {
    var startsAt: Date
    var note: RawJSON?
}

/// Encodes in upper case, and decodes in lower case.
private struct UppercaseCoder: MessageCoder {
    func encode<Value: Encodable>(_ value: Value) throws -> RawJSON {
        try RawJSON(validating: RawJSON(encoding: value).text.uppercased())
    }

    func decode<Value: Decodable>(_ type: Value.Type, from json: RawJSON) throws -> Value {
        try RawJSON(validating: json.text.lowercased()).decode(as: type)
    }
}

/// The coder that a client encodes and decodes with.
@Suite(.inTurn(within: .seconds(60)))
struct MessageCoderTests {
    private static let meeting = Meeting(startsAt: Date(timeIntervalSince1970: 0), note: nil)
    private static let text = #"{"startsAt":"1970-01-01T00:00:00Z"}"#

    enum Choice: CaseIterable {
        case wireJSON, foundation

        var coder: any MessageCoder {
            switch self {
            case .wireJSON:
                var coder = WireJSONCoder()
                coder.encoder.dateEncodingStrategy = .iso8601
                coder.decoder.dateDecodingStrategy = .iso8601
                return coder
            case .foundation:
                let encoder = JSONEncoder()
                let decoder = JSONDecoder()
                encoder.dateEncodingStrategy = .iso8601
                decoder.dateDecodingStrategy = .iso8601
                return FoundationCoder(encoder: encoder, decoder: decoder)
            }
        }
    }

    private func wire(_ choice: Choice) async -> Wire {
        var configuration = SessionConfiguration()
        configuration.coder = choice.coder
        return await Wire(configuration)
    }

    @Test(arguments: Choice.allCases) func codesParamsAndResults(_ choice: Choice) async throws {
        let wire = await wire(choice)
        async let answer = wire.session.call("move", params: Self.meeting, as: Meeting.self)
        let request = try await wire.peer.expectRequest("move")
        #expect(try request.params == JSONValue(RawJSON(validating: Self.text)))
        try wire.peer.reply(to: request, result: JSONValue(RawJSON(validating: Self.text)))
        #expect(try await answer == Self.meeting)
        try await wire.session.notify("moved", params: Self.meeting)
        #expect(try await wire.peer.expectNotification("moved").params == JSONValue(RawJSON(validating: Self.text)))
        await wire.session.close()
    }

    @Test(arguments: Choice.allCases) func codesWhatHandlersTakeAndGive(_ choice: Choice) async throws {
        let wire = await wire(choice)
        let coder = wire.session.coder
        wire.session.handle("quick") { (meeting: Meeting) in
            Meeting(startsAt: meeting.startsAt.addingTimeInterval(60), note: nil)
        }
        wire.session.handle("slow") { (meeting: Meeting) async in
            Meeting(startsAt: meeting.startsAt.addingTimeInterval(120), note: nil)
        }
        let ticks = wire.session.notifications("tick", as: Meeting.self)
        for (id, method, expected) in [(1, "quick", "00:01:00"), (2, "slow", "00:02:00")] {
            try wire.peer.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(Self.text)}"#)
            let response = try await wire.peer.expectResponse(to: .number(JSONNumber(id)))
            #expect(try response.outcome.get() == ["startsAt": .string("1970-01-01T\(expected)Z")])
        }
        try wire.peer.send(#"{"jsonrpc":"2.0","method":"tick","params":\#(Self.text)}"#)
        var iterator = ticks.makeAsyncIterator()
        #expect(try await iterator.next() == .value(Self.meeting))
        #expect(try coder.encode(Self.meeting).text == Self.text)
        await wire.session.close()
    }

    @Test func foundationsCoderPassesRawAndExactValuesThrough() throws {
        let coder: any MessageCoder = .foundation
        let raw = try RawJSON(validating: #"{"b":1.00,"a":12345678901234567890123}"#)
        #expect(try coder.encode(raw) == raw)
        #expect(try coder.decode(RawJSON.self, from: raw) == raw)
        let value = try coder.decode(JSONValue.self, from: raw)
        #expect(try value == JSONValue(raw))
        #expect(try coder.encode(value).text == RawJSON(value).text)
        let meeting = Meeting(startsAt: Date(timeIntervalSinceReferenceDate: 1), note: try RawJSON(validating: "[1,2]"))
        #expect(try coder.decode(Meeting.self, from: coder.encode(meeting)) == meeting)
    }

    @Test func aCoderOfOnesOwnIsUsed() async throws {
        var configuration = SessionConfiguration()
        configuration.coder = UppercaseCoder()
        let wire = await Wire(configuration)
        async let answer = wire.session.call("shout", params: ["hello"], as: String.self)
        let request = try await wire.peer.expectRequest("shout")
        #expect(request.params == ["HELLO"])
        try wire.peer.reply(to: request, result: "BYE")
        #expect(try await answer == "bye")
        await wire.session.close()
    }
}
