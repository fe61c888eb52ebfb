// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONAPI
import TestTurns
import Testing
import WireJSON

/// Makes random values, determined by a seed.
private struct ResourceGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func number(below limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(truncatingIfNeeded: state >> 33) % limit
    }

    mutating func maybe<V>(_ make: (inout Self) -> V) -> V? { number(below: 3) == 0 ? nil : make(&self) }

    mutating func text() -> String {
        (0..<number(below: 6)).map { _ in ["a", "é", "\"", "\\", "\u{0}", "😀", "/", "e\u{301}"][number(below: 8)] }
            .joined()
    }

    mutating func tag(depth: Int = 0) -> Tag {
        var tag = Tag()
        tag.name = maybe { $0.text() }
        if depth < 3, number(below: 2) == 0 {
            tag.parents = (0..<number(below: 3)).map { _ in self.tag(depth: depth + 1) }
        }
        return tag
    }

    mutating func article() -> Article {
        var article = Article()
        article.id = maybe { Article.ID("\($0.number(below: 5))") }
        article.title = maybe { $0.text() }
        article.descriptionText = maybe { $0.text() }
        article.isPublic = number(below: 2) == 0
        article.mainTag = maybe { $0.tag() }
        article.tags = maybe { generator in (0..<generator.number(below: 3)).map { _ in generator.tag() } }
        article.size = maybe { Size(width: $0.number(below: 1000) - 500) }
        article.anything = maybe { ["x": [.string($0.text()), nil, 1.5]] }
        article.created = maybe { Date(timeIntervalSinceReferenceDate: Double($0.number(below: 1_000_000)) * 0.5) }
        article.slug = maybe { $0.text() }
        switch number(below: 3) {
        case 0: article.authors.ids = (0..<number(below: 4)).map { Person.ID("\($0)") }
        case 1: article.authors.identifiers = [ResourceIdentifier(lid: "x", meta: ["n": 1])]
        default: break
        }
        if number(below: 2) == 0 { article.editor.id = maybe { Person.ID($0.text()) } }
        if number(below: 2) == 0 { article.editor.links["self"] = "/x" }
        return article
    }
}

@Suite("Random resources", .inTurn)
struct ResourcePropertyTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func valuesSurviveTheWayThroughADocument(seed: UInt64) throws {
        var generator = ResourceGenerator(seed: seed)
        for _ in 0..<60 {
            let article = generator.article()
            let raw = RawDocument(data: .single(try article.toResourceObject()))
            let read = try #require(try JSONAPIDocument(parsing: raw.bytes).resource(as: Article.self))
            #expect(read == article, "seed \(seed)")
            #expect(!read.isDirty && read.editor.links == article.editor.links)
            #expect(try json(read.toResourceObject()) == json(article.toResourceObject()))

            var changed = read
            let other = generator.article()
            changed.title = other.title
            changed.tags = other.tags
            changed.authors = other.authors
            let patch = try changed.resourceObject(sending: .changes)
            let names = (patch.attributeNames + (patch.relationships?.members.names ?? []))
            #expect(names == changed.changes.names)
            // If a server applies the change and returns it, the value stays the same.
            var merged = changed
            if article.id != nil {
                try merged.merge(patch)
                #expect(merged == changed && !merged.isDirty, "seed \(seed)")
            }
            changed.rollback()
            #expect(changed == read)
        }
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func randomDamageNeverTraps(seed: UInt64) throws {
        var generator = ResourceGenerator(seed: seed &+ 100)
        var options = ResourceOptions()
        options.registry = ResourceRegistry(Contact.self, Person.self)
        options.makesStubs = true
        for round in 0..<150 {
            let data = try generator.article().toResourceObject()
            let raw = RawDocument(
                data: .collection([data]), included: [data, try generator.article().toResourceObject()])
            var bytes = raw.bytes
            for _ in 0..<(1 + generator.number(below: 4)) {
                let position = generator.number(below: bytes.count)
                switch generator.number(below: 3) {
                case 0: bytes[position] = Array("[]{}\",:0nt".utf8)[generator.number(below: 10)]
                case 1: bytes.remove(at: position)
                default: bytes.insert(bytes[generator.number(below: bytes.count)], at: position)
                }
            }
            options.unreadableFields = round % 2 == 0 ? .skip : .refuse
            guard let document = try? JSONAPIDocument(parsing: bytes, options: options) else { continue }
            do throws(ResourceError) {
                for article in try document.resources(as: Article.self) {
                    _ = article.authors.values.map(\.favoriteArticle.value)
                    _ = try article.toResourceObject()
                    var copy = article
                    try? copy.merge(document)
                }
                for any in try document.resources(as: AnyResource.self) { _ = any.toResourceIdentifierObject() }
                _ = try document.resources(as: Contributor.self)
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }

    @Test func deepAttributesAreRead() throws {
        let depth = 250
        let text = String(repeating: #"{"parents":["#, count: depth) + "{}" + String(repeating: "]}", count: depth)
        let document = try document(#"{"data":{"type":"articles","id":"1","attributes":{"mainTag":\#(text)}}}"#)
        var tag = try #require(try document.resource(as: Article.self)?.mainTag)
        var found = 0
        while let parent = tag.parents?.first {
            tag = parent
            found += 1
        }
        #expect(found == depth)
    }

    @Test func largeDocumentIsReadOnceAndLinked() throws {
        let count = 5000
        let people = (0..<count).map {
            #"{"type":"people","id":"\#($0)","relationships":{"favoriteArticle":{"data":{"type":"articles","id":"1"}}}}"#
        }
        let authors = (0..<count).map { #"{"type":"people","id":"\#($0)"}"# }.joined(separator: ",")
        let text = """
            {"data":{"type":"articles","id":"1","relationships":{"authors":{"data":[\(authors)]}}},
             "included":[\(people.joined(separator: ","))]}
            """
        let article = try #require(try document(text).resource(as: Article.self))
        let values = article.authors.values
        #expect(values.count == count && values.last?.favoriteArticle.id == "1")
        #expect(values.last?.id == Person.ID("\(count - 1)"))
    }
}
