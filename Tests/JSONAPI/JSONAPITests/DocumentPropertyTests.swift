// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing
import WireJSON

@Suite("Random documents", .inTurn)
struct DocumentPropertyTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func randomDocumentsAreWrittenEqual(seed: UInt64) throws {
        var generator = DocumentGenerator(seed: seed)
        for _ in 0..<100 {
            let text = generator.document()
            let document = try RawDocument(parsing: Array(text.utf8))
            let bytes = document.bytes
            #expect(try JSONValue(parsing: bytes) == JSONValue(parsing: text), "seed \(seed): \(text)")
            #expect(try RawDocument(parsing: bytes) == document, "seed \(seed): \(text)")
            #expect(try RawDocument(parsing: bytes).bytes == bytes, "seed \(seed): \(text)")
            _ = try DocumentLinter().findings(in: bytes)
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func randomDamageIsRefusedOrReadAndNeverTraps(seed: UInt64) {
        var generator = DocumentGenerator(seed: seed &+ 1000)
        for _ in 0..<400 {
            let bytes = generator.damaged(Array(generator.document().utf8))
            do throws(DocumentError) {
                let document = try RawDocument(parsing: bytes)
                let written = document.bytes
                #expect(throws: Never.self) { try RawDocument(parsing: written) }
                _ = ResourceIndex(document)
                _ = try DocumentLinter().findings(in: bytes)
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test func deepDocumentsAreReadUpToTheLimit() throws {
        let depth = 500
        let inner = String(repeating: #"{"href":"/a","describedby":"#, count: depth) + "null"
        let text = #"{"meta":{},"links":{"self":"# + inner + String(repeating: "}", count: depth + 2)
        let document = try RawDocument(parsing: Array(text.utf8))
        #expect(try JSONValue(parsing: document.bytes) == JSONValue(parsing: text))
        #expect(try DocumentLinter().findings(in: document) == [])
        #expect(throws: DocumentError.self) { try RawDocument(parsing: Array(#"{"meta":"#.utf8) + deepMeta(512)) }
    }

    @Test func deepestDocumentIsCheckedWithinTheStack() throws {
        let linter = DocumentLinter(limits: JSONLimits(maximumDepth: JSONLimits.largestMaximumDepth))
        let bytes = Array(#"{"meta":"#.utf8) + deepMeta(JSONLimits.largestMaximumDepth - 1)
        #expect(try linter.findings(in: bytes) == [])
    }

    @Test func findingsHaveALimit() throws {
        var linter = DocumentLinter()
        let many = (0..<5000).map { "\"x\($0)!\":1" }.joined(separator: ",")
        let bytes = Array("{\"meta\":{\(many)}}".utf8)
        #expect(try linter.findings(in: bytes).count == 1000)
        linter.maximumFindings = 3
        #expect(try linter.findings(in: bytes).count == 3)
    }

    /// Returns nested objects, and the end of the object around them.
    private func deepMeta(_ depth: Int) -> [UInt8] {
        Array((String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth + 1)).utf8)
    }
}

/// Random numbers determined by a seed (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

/// Makes readable documents, and damages bytes.
private struct DocumentGenerator {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(state: seed) }

    private mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: choices.indices, using: &random)] }

    private mutating func chance() -> Bool { Bool.random(using: &random) }

    /// Returns an object with most of the members, and sometimes with one more.
    private mutating func object(_ members: [(String, String)], others: [String] = ["@a", "v:b", "odd", "é"]) -> String
    {
        var members = members.filter { _ in Int.random(in: 0..<4, using: &random) > 0 }
        if Int.random(in: 0..<4, using: &random) == 0 { members.append((pick(others), value())) }
        return text(members.shuffled(using: &random))
    }

    private func text(_ members: [(String, String)]) -> String {
        "{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }

    private mutating func value() -> String {
        pick(["null", "true", "1.50", "-0", #""x\u00e9\n""#, "[1, 2]", #"{ "a" : {"b":[]} }"#, "{}"])
    }

    private mutating func array(_ element: (inout Self) -> String) -> String {
        "[" + (0..<Int.random(in: 0..<4, using: &random)).map { _ in element(&self) }.joined(separator: ",") + "]"
    }

    private mutating func meta() -> String { pick(["{}", "null", #"{"n": 1e3}"#, #"{"a":[{}]}"#]) }

    private mutating func id() -> String { pick([#""1""#, #""2""#, #""\u00e9""#, #""""#]) }

    private mutating func links() -> String {
        let full = object([("rel", #""x""#), ("hreflang", pick([#""de""#, #"["de","en"]"#, "[]"])), ("meta", meta())])
        let link = #"{"href":"/x""# + (full == "{}" ? "}" : "," + full.dropFirst())
        return object(
            [("self", pick([#""/a""#, "null", link])), ("next", pick([#""?p=1""#, "null", link]))],
            others: ["@a", "v:b"])
    }

    private mutating func identifier() -> String {
        let rest = object([("lid", id()), ("meta", meta())])
        return #"{"type":"\#(pick(["a", "b"]))","id":\#(id())"# + (rest == "{}" ? "}" : "," + rest.dropFirst())
    }

    private mutating func linkage() -> String {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: "null"
        case 1: identifier()
        default: array { $0.identifier() }
        }
    }

    private mutating func relationships() -> String {
        let one = object([("data", linkage()), ("links", links()), ("meta", meta())])
        let other = object([("data", linkage())])
        return object([("r", one), ("s", other), ("t", "null")], others: ["@a", "v:b"])
    }

    private mutating func resource() -> String {
        let rest = object([
            ("id", id()), ("lid", id()), ("attributes", text([("x", value()), ("y", value())])),
            ("relationships", relationships()), ("links", links()), ("meta", meta()),
        ])
        return #"{"type":"\#(pick(["a", "b"]))""# + (rest == "{}" ? "}" : "," + rest.dropFirst())
    }

    private mutating func error() -> String {
        let source = object([("pointer", value()), ("parameter", #""p""#), ("header", value())])
        return object([
            ("id", id()), ("status", #""422""#), ("title", value()), ("detail", #""d""#), ("source", source),
            ("links", links()), ("meta", meta()),
        ])
    }

    mutating func document() -> String {
        let data = pick(["null", resource(), array { $0.resource() }])
        return object([
            ("data", data), ("included", array { $0.resource() }), ("meta", meta()), ("links", links()),
            ("errors", array { $0.error() }),
            ("jsonapi", object([("version", #""1.1""#), ("ext", "[]"), ("profile", #"["p"]"#), ("meta", meta())])),
        ])
    }

    /// Returns the bytes with one to three faults.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
            case 1: bytes[index] = pick(Array("{}[],:\"\\0123456789-tfn ".utf8))
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(contentsOf: pick([#""\ud800""#, "null", "[]", "{}", "1", ","]).utf8, at: index)
            default: bytes.removeLast(bytes.count - index)
            }
        }
        return bytes
    }
}
