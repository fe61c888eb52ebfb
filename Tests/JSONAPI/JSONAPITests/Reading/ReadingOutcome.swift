// swift-jsonrpc · SPDX-License-Identifier: MIT

@testable import JSONAPI
import WireJSON

/// Everything that can be read from a document, as text: values, errors and their places.
struct ReadingOutcome {
    private(set) var text = ""
    /// The errors, each once, in their order.
    private(set) var errors: [String] = []

    /// Reads a document in all ways. `make` gets the options for resources.
    init(_ make: (ResourceOptions) throws -> JSONAPIDocument) {
        note("links") { written(RawDocument(links: try make(ResourceOptions()).links)) }
        note("errors") { written(RawDocument(errors: try make(ResourceOptions()).errors)) }
        note("meta") { try make(ResourceOptions()).meta(as: JSONValue.self).map { "\($0)" } ?? "none" }
        for treatment in [ResourceOptions.UnreadableFields.refuse, .skip] {
            var options = ResourceOptions()
            options.unreadableFields = treatment
            guard let document = try? make(options) else { return }
            note("article") { try document.resource(as: Article.self).map(described) ?? "none" }
            note("articles") { try document.resources(as: Article.self).map(described).joined(separator: "\n") }
            note("person") { try document.resource(as: Person.self).map(described) ?? "none" }
            note("people") { try document.resources(as: Person.self).map(described).joined(separator: "\n") }
            for id in ["0", "1", "2", "3", "x"] {
                note("person \(id)") { try document.resource(Person.ID(id)).map(described) ?? "none" }
            }
            note("skipped") { document.skippedFields.map { "\($0)" }.joined(separator: "\n") }
        }
        note("document") { written(try make(ResourceOptions()).raw) }
    }

    /// A hash of the text, the same in each process (FNV-1a).
    var digest: String {
        let hash = text.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return String(hash, radix: 16)
    }

    private mutating func note(_ title: String, _ body: () throws -> String) {
        do {
            text += "\(title): \(try body())\n"
        } catch {
            text += "\(title): \(error)\n"
            if !errors.contains("\(error)") { errors.append("\(error)") }
        }
    }
}

private func written(_ document: RawDocument) -> String { String(decoding: document.bytes, as: UTF8.self) }

private func described<R: Resource>(_ resource: R) throws -> String {
    var parts = [written(RawDocument(data: .single(try resource.toResourceObject())))]
    parts.append(written(RawDocument(data: .single(try resource.resourceObject(sending: .all)))))
    parts.append(written(RawDocument(data: .single(try resource.detached().toResourceObject()))))
    if let article = resource as? Article {
        parts += try article.authors.values.map { written(RawDocument(data: .single(try $0.toResourceObject()))) }
        parts.append(article.editor.value.map { "\($0.id?.rawValue ?? ""), \($0.name ?? "")" } ?? "no editor")
    }
    return parts.joined(separator: "\n")
}
