// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONDocument {
    typealias KnownFacts = KnownTypes<any JSONCollection.Type>.Facts

    @inline(__always)
    func known<T>(_ type: T.Type) -> KnownFacts {
        types.find(type, { type as? any JSONCollection.Type }, direct: { AnyDirectCoding(reading: type) })
    }

    /// A reader of the whole text. It is `nil` if `Codable` has to read it.
    func directReader() -> JSONReader? {
        guard options.values.readsDirectly, text.end < JSONScanner.maximumEnd else { return nil }
        tape.removeAll(reserving: 0)
        var scanner = text
        guard (try? scanner.beginText()) != nil else { return nil }
        return JSONReader(scanner, depth: scanner.maximumDepth, of: self, base: 0)
    }

    /// A reader of an entry's value. It is `nil` if `Codable` has to read it.
    func directReader(at index: Int) -> JSONReader? {
        let entry = entry(index)
        // The null of a missing `super` has no place in the text.
        guard readsDirectly, options.values.readsDirectly, entry.length > 0 || entry.kind == .string else { return nil }
        var scanner = text
        scanner.position = Int(entry.offset) &- (entry.kind == .string ? 1 : 0)
        // The depth was checked when the tape was made.
        return JSONReader(scanner, depth: scanner.maximumDepth, of: self, base: index)
    }
}
