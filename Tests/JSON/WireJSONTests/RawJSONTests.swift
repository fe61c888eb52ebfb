// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

@Suite("RawJSON", .inTurn)
struct RawJSONTests {
    @Test func whiteSpaceAroundIsDroppedAndBytesInsideAreKept() throws {
        let raw = try RawJSON(validating: " \n{ \"a\" : 1.00 }\t")
        #expect(raw.text == "{ \"a\" : 1.00 }")
        #expect(raw.description == raw.text)
    }

    @Test func sliceIsValidatedWithinItsOwnBounds() throws {
        let message = Array(#"{"result":[1,2]}x"#.utf8)
        #expect(try RawJSON(validating: message[10..<15]).text == "[1,2]")
        let error = #expect(throws: JSONSyntaxError.self) { try RawJSON(validating: message[10..<14]) }
        #expect(error?.reason == .unexpectedEnd)
        #expect(error?.offset == 4)
    }

    @Test func equalityIsThatOfBytes() throws {
        #expect(try RawJSON(validating: "1.0") == RawJSON(validating: " 1.0 "))
        #expect(try RawJSON(validating: "1.0") != RawJSON(validating: "1.00"))
        #expect(try RawJSON(validating: "null") == .null)
    }

    @Test func membersAndElementsShareTheBytes() throws {
        let raw = try RawJSON(validating: #" { "a" : [1 , {"b":2}] , "\u0061" : null , "":"x" } "#)
        let members = try #require(try raw.members())
        #expect(members.map(\.name) == ["a", "a", ""])
        #expect(members.map(\.value.text) == [#"[1 , {"b":2}]"#, "null", "\"x\""])
        let elements = try #require(try members[0].value.elements())
        #expect(elements.map(\.text) == ["1", #"{"b":2}"#])
        #expect(try elements[1].members()?.first?.value.text == "2")
        #expect(try RawJSON(validating: "[ ]").elements()?.isEmpty == true)
        #expect(try RawJSON(validating: "{ }").members()?.isEmpty == true)
        #expect(try raw.elements() == nil)
        #expect(try RawJSON(validating: "1").members() == nil)
    }

    @Test func membersLeaveOutNamesThatNoStringIs() throws {
        let members = try #require(try RawJSON(validating: #"{"a":1,"\ud800":2,"b":3}"#).members())
        #expect(members.map(\.name) == ["a", "b"])
    }

    @Test func valuesAreEncodedAndDecoded() throws {
        struct Point: Codable, Equatable { var x: Int, y: Double }
        let raw = try RawJSON(encoding: Point(x: 1, y: 2.5))
        #expect(try raw.decode(as: Point.self) == Point(x: 1, y: 2.5))
        #expect(try RawJSON(encoding: [42, 23]).text == "[42,23]")
        #expect(try RawJSON(encoding: "a\"b").text == #""a\"b""#)
        #expect(try RawJSON(validating: "19").decode(as: Int.self) == 19)
        #expect(try RawJSON(validating: "[1]").decode(as: JSONValue.self) == [1])
        #expect(try RawJSON(validating: "[ 1 ]").decode(as: RawJSON.self).text == "[ 1 ]")
        #expect(throws: DecodingError.self) { try RawJSON(validating: "\"x\"").decode(as: Int.self) }
    }
}
