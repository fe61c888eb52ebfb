// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// Reads JSON values with the options of a document. Errors have pointers that begin at the value.
struct DocumentReader {
    var readsNumbersAsIDs = false
    /// Whether links that cannot be read are kept as additional members. This holds inside error objects, because a defect
    /// of a report must not hide the report.
    var keepsUnreadableLinks = false

    func expect(_ kind: JSONKind, _ json: RawJSON) throws {
        guard json.kind == kind else { throw DocumentError(.wrongKind(expected: [kind], found: json.kind)) }
    }

    /// Returns the members of an object in their order, repeated names included.
    func members(_ json: RawJSON) throws -> [(name: String, value: RawJSON)] {
        try expect(.object, json)
        return try json.members() ?? []
    }

    func string(_ json: RawJSON) throws -> String {
        try expect(.string, json)
        do {
            return try json.decode(as: String.self)
        } catch {
            throw DocumentError(.unreadableString)
        }
    }

    /// Reads a value of `id` or `lid`.
    func identification(_ json: RawJSON) throws -> String {
        readsNumbersAsIDs && json.kind == .number ? json.text : try string(json)
    }

    func strings(_ json: RawJSON) throws -> [String] {
        try elements(json) { try string($0) }
    }

    func array<Part: DocumentPart>(_ json: RawJSON) throws -> [Part] {
        try elements(json) { try Part(reading: $0, with: self) }
    }

    private func elements<Element>(_ json: RawJSON, _ read: (RawJSON) throws -> Element) throws -> [Element] {
        try expect(.array, json)
        var elements: [Element] = []
        for (index, element) in (try json.elements() ?? []).enumerated() {
            do {
                elements.append(try read(element))
            } catch var error as DocumentError {
                error.pointer.tokens.insert(String(index), at: 0)
                throw error
            }
        }
        return elements
    }

    /// Reads the members of an object with `read`, which returns whether it has used the member.
    ///
    /// - Returns: The members that were not used. A member that the specification defines is among them if its value is
    ///   `null` and `read` does not accept that, so that it is written again.
    func object(_ json: RawJSON, _ read: (_ name: String, _ value: RawJSON) throws -> Bool) throws -> RawMembers {
        var others = RawMembers()
        for (name, value) in try members(json) {
            do {
                if try !read(name, value) { others[name] = value }
            } catch var error as DocumentError {
                error.pointer.tokens.insert(name, at: 0)
                throw error
            }
        }
        return others
    }
}
