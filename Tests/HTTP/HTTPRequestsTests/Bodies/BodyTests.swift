// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import TestTurns
import Testing
import WireJSON

@Suite("Bodies in memory", .inTurn)
struct BodyTests {
    static func text(_ body: some HTTPBody) throws -> String {
        guard case .bytes(let bytes) = try body.buildEntity().content else { return "not in memory" }
        return String(decoding: bytes, as: UTF8.self)
    }

    struct Person: Codable, Sendable, Equatable {
        var name: String
        var age: Int?
        var home = "a/b"
    }

    struct Window: Encodable, Sendable {
        var fromStart: Int
    }

    @Test func noBodyHasNeitherBytesNorType() throws {
        #expect(NoHTTPBody().buildEntity().contentType == nil)
        #expect(try Self.text(NoHTTPBody()) == "")
        #expect(NoHTTPBody().buildEntity().isReplayable)
        #expect(NoHTTPBody().buildEntity().length == 0)
    }

    @Test func literalsMakeJSON() throws {
        let object: JSONHTTPBody = ["name": "x", "list": [1, nil, true, 2.5, ["a": []]], "url": "a/b"]
        #expect(try Self.text(object) == #"{"name":"x","list":[1,null,true,2.5,{"a":[]}],"url":"a/b"}"#)
        #expect(try object.buildEntity().contentType == "application/json")
        let array: JSONHTTPBody = [["jsonrpc": "2.0", "id": 1], "two", 3]
        #expect(try Self.text(array) == #"[{"jsonrpc":"2.0","id":1},"two",3]"#)
        let empty: JSONHTTPBody = [:]
        #expect(try Self.text(empty) == "{}")
        #expect(object == JSONHTTPBody(json: object.json))
        #expect(object != array)
        #expect(Set([object, array, JSONHTTPBody(json: array.json)]).count == 2)
        let repeated: JSONHTTPBody = ["a": 1, "b": 2, "a": 3]
        #expect(try Self.text(repeated) == #"{"a":3,"b":2}"#)
    }

    /// The sample of the doc comment.
    struct Draft {
        var name = "x"
        var size = 3
        var price = 0.5
        var tags = ["a", "b"]
        var note: String?

        var body: JSONHTTPBody {
            [
                "name": .string(name), "size": .init(size), "price": .init(price) ?? nil,
                "tags": .array(tags.map { .string($0) }), "note": note.map { .string($0) } ?? nil,
            ]
        }

        var form: FormHTTPBody {
            [
                "name": .init(name), "size": .init(size), "price": .init(price), "tag": .init(tags),
                "note": .init(note), "none": .init(nil as Int?), "ids": .init([size]), "flag": .init(size > 2),
            ]
        }
    }

    @Test func literalsTakeVariables() throws {
        let draft = Draft(note: "n")
        #expect(try Self.text(draft.body) == #"{"name":"x","size":3,"price":0.5,"tags":["a","b"],"note":"n"}"#)
        let other = Draft(price: .infinity, tags: [])
        #expect(try Self.text(other.body) == #"{"name":"x","size":3,"price":null,"tags":[],"note":null}"#)
        #expect(try Self.text(draft.form) == "name=x&size=3&price=0.5&tag=a&tag=b&note=n&none=&ids=3&flag=true")
    }

    @Test func theOptionsOfJSONCanBeSet() throws {
        let body = JSONHTTPBody(
            json: ["b": "/", "a": 1], contentType: "application/vnd.api+json", formatting: [.sortedKeys])
        #expect(try body.buildEntity().contentType == "application/vnd.api+json")
        #expect(try Self.text(body) == #"{"a":1,"b":"\/"}"#)
        #expect(try Self.text(JSONHTTPBody(json: "top-level text")) == #""top-level text""#)
    }

    @Test func encodableValuesBecomeJSON() throws {
        let person = Person(name: "日本", age: 3)
        let body = EncodableHTTPBody(person)
        #expect(try body.buildEntity().contentType == "application/json")
        #expect(try Self.text(body) == #"{"name":"日本","age":3,"home":"a/b"}"#)
        #expect(try Self.text(EncodableHTTPBody([1, 2])) == "[1,2]")
        var encoder = WireJSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        #expect(try Self.text(EncodableHTTPBody(Window(fromStart: 1), encoder: encoder)) == #"{"from_start":1}"#)
    }

    @Test func anotherCoderCanBeUsed() throws {
        let body = EncodableHTTPBody(Person(name: "x"), contentType: "application/x-plist") {
            let encoder = PropertyListEncoder()
            encoder.outputFormat = .xml
            return try encoder.encode($0)
        }
        #expect(try body.buildEntity().contentType == "application/x-plist")
        let text = try Self.text(body)
        #expect(try PropertyListDecoder().decode(Person.self, from: Data(text.utf8)) == Person(name: "x"))
    }

    @Test func aValueThatJSONCannotHoldFailsToBuild() {
        #expect(throws: EncodingError.self) { try EncodableHTTPBody([Double.nan]).buildEntity() }
        #expect(throws: CancellationError.self) {
            try EncodableHTTPBody(1, contentType: "x/y") { _ -> [UInt8] in throw CancellationError() }.buildEntity()
        }
    }

    @Test func formsKeepTheirOrder() throws {
        let form: FormHTTPBody = ["z": "a b&c", "a": 1, "tag": ["x", "y"], "flag": true, "none": nil, "z": 1.5]
        #expect(try Self.text(form) == "z=a+b%26c&a=1&tag=x&tag=y&flag=true&none=&z=1.5")
        #expect(form.buildEntity().contentType == "application/x-www-form-urlencoded")
        let items = FormHTTPBody([HTTPQueryItem("日", "本"), HTTPQueryItem("n", nil)], encoding: .rfc3986)
        #expect(try Self.text(items) == "%E6%97%A5=%E6%9C%AC&n")
        let interpolated: FormHTTPBody = ["q": "\(1 + 1)"]
        #expect(try Self.text(interpolated) == "q=2")
    }

    struct Search: Encodable {
        var text = "a b"
        var limit: Int? = 10
        var offset: Int?
        var ratio = 0.5
        var tags = ["x", "y,z"]
        var exact = false
    }

    @Test func encodableValuesBecomeForms() throws {
        #expect(
            try Self.text(FormHTTPBody(encoding: Search()))
                == "text=a+b&limit=10&ratio=0.5&tags=x&tags=y%2Cz&exact=false")
        var encoding = HTTPQueryEncoding.form
        encoding.nilValues = .omitted
        encoding.arrays = .commaSeparated
        let values: [String: JSONValue] = ["a": [1, nil, true]]
        #expect(try Self.text(FormHTTPBody(encoding: values, as: encoding)) == "a=1,,true")
        #expect(try Self.text(FormHTTPBody(encoding: ["n": JSONValue.null], as: encoding)) == "")
    }

    @Test func aFormHasNoNestedValues() {
        let nested = [JSONValue.object(["b": 1]), [[1]], [["b": 1]]]
        for value in nested {
            #expect(throws: HTTPBodyError.nestedFormValue(name: "a")) { try FormHTTPBody(encoding: ["a": value]) }
        }
        #expect(throws: HTTPBodyError.formWithoutNames) { try FormHTTPBody(encoding: [1, 2]) }
        #expect(throws: HTTPBodyError.formWithoutNames) { try FormHTTPBody(encoding: "text") }
    }

    @Test func bytesAndTextsAreSentAsTheyAre() throws {
        let data = DataHTTPBody(Data([0, 255, 13]))
        #expect(data.bytes == [0, 255, 13])
        #expect(data.buildEntity().contentType == "application/octet-stream")
        #expect(DataHTTPBody([1], contentType: nil).buildEntity().contentType == nil)
        let text: StringHTTPBody = "é\r\n\(1)"
        #expect(try Self.text(text) == "é\r\n1")
        #expect(text.buildEntity().contentType == "text/plain; charset=utf-8")
        #expect(StringHTTPBody("<a/>", contentType: "application/xml").buildEntity().contentType == "application/xml")
    }

    /// A message as a library for Protocol Buffers generates it: field 1 is a varint.
    struct Count: ProtobufMessage, Equatable {
        var value: UInt8

        init(value: UInt8) { self.value = value }
        init(protobufBytes bytes: [UInt8]) throws { value = bytes.last ?? 0 }
        func protobufBytes() throws -> [UInt8] { [8, value] }
    }

    @Test func messagesBecomeProtocolBuffers() throws {
        let entity = try ProtobufHTTPBody(Count(value: 7)).buildEntity()
        #expect(entity.contentType == "application/protobuf")
        guard case .bytes(let bytes) = entity.content else { return #expect(Bool(false), "not in memory") }
        #expect(bytes == [8, 7])
        #expect(try Count(protobufBytes: bytes) == Count(value: 7))
        let other = ProtobufHTTPBody(contentType: "application/x-protobuf") { try Count(value: 9).protobufBytes() }
        #expect(try other.buildEntity().contentType == "application/x-protobuf")
        #expect(try other.buildEntity().length == 2)
    }

    @Test func bodiesInMemoryCanBeSentAgain() async throws {
        let bodies: [any HTTPBody] = [
            NoHTTPBody(), JSONHTTPBody(json: nil), EncodableHTTPBody([1]), FormHTTPBody([]), DataHTTPBody([1]),
            StringHTTPBody("x"), ProtobufHTTPBody(Count(value: 1)),
        ]
        for body in bodies {
            let entity = try body.buildEntity()
            #expect(entity.isReplayable)
            let stream = try await entity.makeStream()
            #expect(stream.length == entity.length)
            #expect(try await stream.collect(upTo: 100).count == entity.length.map { Int($0) })
            #expect(try await entity.makeStream().collect(upTo: 100).count == entity.length.map { Int($0) })
        }
    }
}
