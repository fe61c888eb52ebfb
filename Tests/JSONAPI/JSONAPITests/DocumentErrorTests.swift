// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Documents that cannot be read", .inTurn)
struct DocumentErrorTests {
    struct Refused: Sendable, CustomTestStringConvertible {
        let text: String
        let pointer: String
        let reason: DocumentError.Reason

        init(_ text: String, _ pointer: String, _ reason: DocumentError.Reason) {
            self.text = text
            self.pointer = pointer
            self.reason = reason
        }

        var testDescription: String { text }
    }

    private static func kind(_ expected: JSONKind..., found: JSONKind) -> DocumentError.Reason {
        .wrongKind(expected: Set(expected), found: found)
    }

    static let refused: [Refused] = [
        Refused("[]", "", kind(.object, found: .array)),
        Refused(#""x""#, "", kind(.object, found: .string)),
        Refused(#"{"data":1}"#, "/data", kind(.null, .array, .object, found: .number)),
        Refused(#"{"data":[null]}"#, "/data/0", kind(.object, found: .null)),
        Refused(#"{"data":{}}"#, "/data", .missingMember("type")),
        Refused(#"{"data":{"type":1}}"#, "/data/type", kind(.string, found: .number)),
        Refused(#"{"data":{"type":"a","id":1}}"#, "/data/id", kind(.string, found: .number)),
        Refused(#"{"data":{"type":"a","lid":{}}}"#, "/data/lid", kind(.string, found: .object)),
        Refused(#"{"data":{"type":"\ud800","id":"1"}}"#, "/data/type", .unreadableString),
        Refused(#"{"data":{"type":"a","attributes":[]}}"#, "/data/attributes", kind(.object, found: .array)),
        Refused(#"{"data":{"type":"a","relationships":[]}}"#, "/data/relationships", kind(.object, found: .array)),
        Refused(
            #"{"data":[{"type":"a","relationships":{"x/y~":{"data":"5"}}}]}"#, "/data/0/relationships/x~1y~0/data",
            kind(.null, .array, .object, found: .string)),
        Refused(
            #"{"data":{"type":"a","relationships":{"r":{"data":[{"type":"b","id":"1"},{"id":"1"}]}}}}"#,
            "/data/relationships/r/data/1", .missingMember("type")),
        Refused(
            #"{"data":{"type":"a","relationships":{"r":{"data":{"type":"b"}}}}}"#, "/data/relationships/r/data",
            .missingMember("id")),
        Refused(
            #"{"data":{"type":"a","relationships":{"r":true}}}"#, "/data/relationships/r",
            kind(.object, found: .boolean)),
        Refused(#"{"data":[],"included":{}}"#, "/included", kind(.array, found: .object)),
        Refused(#"{"data":[],"included":[{"id":"1"}]}"#, "/included/0", .missingMember("type")),
        Refused(#"{"meta":[]}"#, "/meta", kind(.object, found: .array)),
        Refused(#"{"meta":{},"links":"x"}"#, "/links", kind(.object, found: .string)),
        Refused(#"{"meta":{},"links":{"self":1}}"#, "/links/self", kind(.null, .string, .object, found: .number)),
        Refused(#"{"meta":{},"links":{"self":{}}}"#, "/links/self", .missingMember("href")),
        Refused(#"{"meta":{},"links":{"self":{"href":null}}}"#, "/links/self/href", kind(.string, found: .null)),
        Refused(
            #"{"meta":{},"links":{"self":{"href":"","hreflang":[1]}}}"#, "/links/self/hreflang/0",
            kind(.string, found: .number)),
        Refused(#"{"meta":{},"jsonapi":{"version":1.1}}"#, "/jsonapi/version", kind(.string, found: .number)),
        Refused(#"{"meta":{},"jsonapi":{"ext":"x"}}"#, "/jsonapi/ext", kind(.array, found: .string)),
        Refused(#"{"errors":{}}"#, "/errors", kind(.array, found: .object)),
        Refused(#"{"errors":["x"]}"#, "/errors/0", kind(.object, found: .string)),
    ]

    @Test(arguments: refused)
    func refusedDocumentsNameThePlace(_ document: Refused) throws {
        let error = try #require(throws: DocumentError.self) { try read(document.text) }
        #expect(error.pointer.description == document.pointer)
        #expect(error.reason == document.reason)
        #expect(error.description.hasPrefix("Could not read the JSON:API document"))
    }

    @Test func textThatIsNotJSONIsRefused() throws {
        for text in ["", "<html>", #"{"data":"#, String(repeating: "[", count: 600)] {
            let error = try #require(throws: DocumentError.self) { try read(text) }
            guard case .notJSON = error.reason else {
                Issue.record("unexpected reason: \(error.reason)")
                continue
            }
        }
    }

    @Test func decodersReportThePlaceAsDecodingError() throws {
        let bytes = Array(#"{"data":{"type":"a","id":1}}"#.utf8)
        let error = try #require(throws: DecodingError.self) {
            try WireJSONDecoder().decode(RawDocument.self, from: bytes)
        }
        guard case .dataCorrupted(let context) = error else { throw DocumentMismatch() }
        #expect((context.underlyingError as? DocumentError)?.pointer.description == "/data/id")
        #expect(context.debugDescription.contains("expected a string, found a number"))
    }

    @Test func numbersAreReadAsIDsIfAllowed() throws {
        var options = DocumentOptions()
        options.readsNumbersAsIDs = true
        let text = #"{"data":{"type":"a","id":12,"relationships":{"r":{"data":{"type":"b","id":34}}}}}"#
        let resource = try read(text, options: options).data?.resources.first
        #expect(resource?.id == "12")
        #expect(resource?.relationships?["r"]?.data == .toOne(ResourceIdentifierObject(type: "b", id: "34")))
    }

    @Test func violationsAreRefusedIfAsked() throws {
        var options = DocumentOptions()
        options.refusesViolations = true
        let text = #"{"data":null,"errors":[{"title":"x"}]}"#
        #expect(try read(text).errors?.count == 1)
        let error = try #require(throws: DocumentError.self) { try read(text, options: options) }
        guard case .violations(let findings) = error.reason else { throw DocumentMismatch() }
        #expect(findings.map(\.rule) == [.dataWithErrors])
        #expect(try read(#"{"data":null}"#, options: options).data == .single(nil))
    }

    @Test func errorObjectsAreReadWhateverTheirMembersAre() throws {
        let text = """
            {"errors":[{"id":"1","links":{"about":"/e","type":["x"]},"status":"422","code":"c","title":"T","detail":"D",
            "source":{"pointer":"/data","parameter":"p","header":"H"},"meta":{"a":1}},
            {"title":5,"source":"x","meta":null,"foo":1}]}
            """
        let document = try read(text)
        let errors = try #require(document.errors)
        #expect(errors[0].source == JSONAPIErrorObject.Source(pointer: "/data", parameter: "p", header: "H"))
        #expect(errors[0].links?.about == "/e")
        #expect(errors[0].links?.additionalMembers["type"]?.text == #"["x"]"#)
        #expect(errors[1].title == nil)
        #expect(errors[1].additionalMembers.names == ["title", "source", "meta", "foo"])
        #expect(try JSONValue(parsing: document.bytes) == JSONValue(parsing: text))
        #expect(try read(#"{"errors":[{"status":422,"code":7}]}"#).errors?.first?.status == "422")
    }
}
