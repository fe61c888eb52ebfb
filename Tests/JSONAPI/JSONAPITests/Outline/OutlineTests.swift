// swift-jsonrpc · SPDX-License-Identifier: MIT

@testable import JSONAPI
import TestTurns
import Testing
import WireJSON

/// Makes random documents as text. Most are plain, and many have something unusual.
private struct DocumentGenerator {
    private var state: UInt64
    /// Of a hundred parts, the number of those that are unusual.
    private let oddity: Int

    init(seed: UInt64, oddity: Int) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        self.oddity = oddity
    }

    mutating func number(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(truncatingIfNeeded: state >> 33) % limit
    }

    private mutating func pick(_ usual: [String], _ unusual: [String]) -> String {
        let choices = number(below: 100) < oddity ? unusual : usual
        return choices[number(below: choices.count)]
    }

    private mutating func object(_ members: [String?]) -> String {
        var members = members.compactMap { $0 }
        if number(below: 100) < oddity, let repeated = members.first { members.append(repeated) }
        if number(below: 8) == 0 { members.append(#""unknown":{"a":[1,{"b":null}]}"#) }
        return "{\(members.joined(separator: number(below: 10) == 0 ? " ,\n" : ","))}"
    }

    private mutating func maybe(_ text: (inout Self) -> String) -> String? { number(below: 3) == 0 ? nil : text(&self) }

    private let wrong = ["null", "1", "[]", "{}", "true", #""text""#, #""\ud800""#, #"[{"type":"x"}]"#]

    private mutating func type(_ usual: [String]) -> String {
        #"\#(pick([#""type""#], [#""t\u0079pe""#, #""kind""#])):\#(pick(usual, wrong + [#""p\u0065ople""#]))"#
    }

    private mutating func id() -> String {
        pick(
            [#""id":"\#(number(below: 6))""#],
            [#""id":7"#, #""id":null"#, #""lid":"a""#, #""lid":"1""#, #""i\u0064":"2""#])
    }

    private mutating func identifier() -> String {
        object([type([#""people""#, #""articles""#]), id(), maybe { $0.meta() }])
    }

    private mutating func meta() -> String { #""meta":\#(pick([#"{"n":1}"#, "{}"], wrong))"# }

    private mutating func links() -> String {
        let link = pick(
            [#""https:\/\/example.com\/1""#, #""/a""#, "null", #"{"href":"/b","meta":{}}"#], wrong + [#"{"rel":"x"}"#])
        let name = pick([#""self""#, #""related""#], [#""@x""#, #""a:b""#, #""s\u0065lf""#])
        return #""links":\#(pick([object(["\(name):\(link)", maybe { _ in #""next":"/n""# }])], wrong))"#
    }

    private mutating func relationship(_ name: String, isToMany: Bool) -> String {
        let linkage =
            isToMany ? "[\((0..<number(below: 3)).map { _ in identifier() }.joined(separator: ","))]" : identifier()
        let data = pick([linkage, "null"], wrong + ["[]", identifier()])
        let members = object([maybe { _ in "\"data\":\(data)" }, maybe { $0.links() }, maybe { $0.meta() }])
        return #""\#(pick([name], ["@\(name)", "x:\(name)", "title"]))":\#(pick([members], wrong))"#
    }

    private mutating func resource() -> String {
        let isPerson = number(below: 2) == 0
        let attributes =
            isPerson
            ? [
                maybe { #""name":\#($0.pick([#""Dan""#, #""D\u00e4n""#, "null"], $0.wrong))"# },
                maybe { #""age":\#($0.pick(["3", "-0", "1e1", "null"], $0.wrong + ["1.5", "99999999999999999999"]))"# },
            ]
            : [
                maybe { #""title":\#($0.pick([#""A""#, "null"], $0.wrong))"# },
                maybe { #""isPublic":\#($0.pick(["true", "false"], $0.wrong))"# },
                maybe { #""created":\#($0.pick([#""2026-01-31T12:00:00Z""#], $0.wrong))"# },
                maybe { #""size":\#($0.pick([#"{"width":4}"#], $0.wrong))"# },
                maybe { #""mainTag":\#($0.pick([#"{"tagName":"t"}"#], $0.wrong))"# },
                maybe { #""t\u0069tle":\#($0.pick([#""B""#], $0.wrong))"# },
            ]
        let relationships =
            isPerson
            ? [maybe { $0.relationship("favoriteArticle", isToMany: false) }]
            : [
                maybe { $0.relationship("authors", isToMany: true) },
                maybe { $0.relationship("editor", isToMany: false) },
            ]
        return object([
            type([isPerson ? #""people""# : #""articles""#]), id(),
            maybe { #""attributes":\#($0.pick([$0.object(attributes)], $0.wrong))"# },
            maybe { #""relationships":\#($0.pick([$0.object(relationships)], $0.wrong))"# }, maybe { $0.links() },
            maybe { $0.meta() },
        ])
    }

    private mutating func resources() -> String {
        "[\((0..<number(below: 5)).map { _ in resource() }.joined(separator: ","))]"
    }

    mutating func document() -> String {
        let data = pick([resources(), resource(), "null"], wrong)
        return object([
            maybe { _ in "\"data\":\(data)" }, maybe { #""included":\#($0.pick([$0.resources()], $0.wrong))"# },
            maybe { $0.links() }, maybe { $0.meta() },
            number(below: 100) < oddity ? #""errors":[{"status":"500"}]"# : nil,
            maybe { #""jsonapi":\#($0.pick([#"{"version":"1.1"}"#], $0.wrong))"# },
        ])
    }
}

/// Documents that are checked only have the same values and errors as those that are read.
@Suite(.inTurn)
struct OutlineTests {
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func checkedDocumentsEqualReadOnes(seed: UInt64) throws {
        // The first seeds have plain documents only.
        var generator = DocumentGenerator(seed: seed, oddity: seed < 4 ? 0 : Int(seed) / 2)
        var plainCount = 0
        for _ in 0..<300 {
            let text = generator.document()
            let bytes = Array(text.utf8)
            let isPlain = DocumentOutline(parsing: bytes[...], options: DocumentOptions()) != nil
            plainCount += isPlain ? 1 : 0
            let checked = Result { () throws(DocumentError) in try Document(parsing: bytes) }
            let read = Result { () throws(DocumentError) in Document(try RawDocument(parsing: bytes)) }
            switch (checked, read) {
            case (.success(let checked), .success(let read)): try expectEqual(checked, read, text)
            case (.failure(let checked), .failure(let read)): #expect(checked == read, "\(text)")
            default: Issue.record("\(checked) and \(read) of \(text)")
            }
        }
        #expect(plainCount > (seed < 4 ? 150 : 10))
    }

    private func expectEqual(_ checked: Document, _ read: Document, _ text: String) throws {
        #expect(checked.links == read.links && checked.errors == read.errors, "\(text)")
        #expect(outcome { try checked.meta(as: JSONValue.self) } == outcome { try read.meta(as: JSONValue.self) })
        for options in [ResourceOptions.UnreadableFields.refuse, .skip] {
            var resourceOptions = ResourceOptions()
            resourceOptions.unreadableFields = options
            let checked = Document(
                try ReceivedDocument(parsing: Array(text.utf8), options: DocumentOptions()), options: resourceOptions)
            let read = Document(read.raw, options: resourceOptions)
            expectEqual(checked, read, text, as: Article.self)
            expectEqual(checked, read, text, as: Person.self)
            for id in ["0", "1", "2", "3", "x"] {
                expectEqual(
                    outcome { try checked.resource(Person.ID(id)) }, outcome { try read.resource(Person.ID(id)) }, text)
            }
            #expect(checked.skippedFields == read.skippedFields, "\(text)")
        }
        #expect(checked.raw == read.raw, "\(text)")
    }

    private func expectEqual<R: Resource>(_ checked: Document, _ read: Document, _ text: String, as: R.Type) {
        let (one, many) = (outcome { try checked.resource(as: R.self) }, outcome { try checked.resources(as: R.self) })
        expectEqual(one, outcome { try read.resource(as: R.self) }, text)
        switch (many, outcome { try read.resources(as: R.self) }) {
        case (.success(let checked), .success(let read)):
            #expect(checked.count == read.count, "\(text)")
            for (checked, read) in zip(checked, read) { expectEqual(.success(checked), .success(read), text) }
        case (.failure(let checked), .failure(let read)): #expect(checked == read, "\(text)")
        default: Issue.record("One of both fails: \(text)")
        }
    }

    private func expectEqual<R: Resource>(_ checked: Outcome<R?>, _ read: Outcome<R?>, _ text: String) {
        switch (checked, read) {
        case (.success(let checked), .success(let read)):
            #expect(checked == read && checked?.links == read?.links && checked?.meta == read?.meta, "\(text)")
            #expect(
                outcome { try checked?.resourceObject(sending: .all) }
                    == outcome { try read?.resourceObject(sending: .all) })
            if let checked = checked as? Article, let read = read as? Article {
                #expect(
                    checked.authors.values == read.authors.values && checked.editor.value == read.editor.value,
                    "\(text)")
                #expect(
                    checked.authors.links == read.authors.links && checked.editor.meta == read.editor.meta, "\(text)")
                #expect(checked.detached().editor.links == read.editor.links && checked.detached().links == read.links)
            }
        case (.failure(let checked), .failure(let read)): #expect(checked == read, "\(text)")
        default: Issue.record("One of both fails: \(text)")
        }
    }

    private enum Outcome<Value> {
        case success(Value)
        case failure(String)

        static func == (left: Self, right: Self) -> Bool where Value: Equatable {
            switch (left, right) {
            case (.success(let left), .success(let right)): left == right
            case (.failure(let left), .failure(let right)): left == right
            default: false
            }
        }
    }

    private func outcome<Value>(_ body: () throws -> Value) -> Outcome<Value> {
        do {
            return .success(try body())
        } catch {
            return .failure("\(error)")
        }
    }
}
