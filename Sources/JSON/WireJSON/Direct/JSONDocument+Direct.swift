// swift-jsonrpc · SPDX-License-Identifier: MIT

extension JSONDocument {
    typealias KnownFacts = KnownTypes<any JSONCollection.Type>.Facts

    @inline(__always)
    func known<T>(_ type: T.Type) -> KnownFacts {
        types.find(type, { type as? any JSONCollection.Type }, direct: { AnyDirectCoding(reading: type) })
    }

    /// Returns a reader of the whole text, or `nil` if `Codable` must read it.
    func directReader() -> JSONReader? {
        guard options.values.readsDirectly, text.end < JSONScanner.maximumEnd else { return nil }
        tape.removeAll(reserving: 0)
        var scanner = text
        guard (try? scanner.beginText()) != nil else { return nil }
        return JSONReader(scanner, depth: scanner.maximumDepth, of: self, base: 0)
    }

    /// Returns a reader of an entry's value, or `nil` if `Codable` must read it.
    func directReader(at index: Int) -> JSONReader? {
        let entry = entry(index)
        // The `null` for a missing `super` has no position in the text.
        guard readsDirectly, options.values.readsDirectly, entry.length > 0 || entry.kind == .string else { return nil }
        var scanner = text
        scanner.position = Int(entry.offset) &- (entry.kind == .string ? 1 : 0)
        // The depth was checked when the tape was made.
        return JSONReader(scanner, depth: scanner.maximumDepth, of: self, base: index)
    }
}

// A `JSONReadable` type can contain types that are not. Such a value, called a part, gets its own document: the same
// text, with a tape that begins at the value. Positions, paths and limits are those of the whole text.

/// The position of a part in the whole text.
struct PartOrigin {
    /// The document of the reader, and the value in it at which the reader began. It is `nil` once the path is known.
    private var whole: (document: JSONDocument, base: Int)?
    private let offset: Int
    private var known: [any CodingKey] = []
    /// The nesting level of the part. It is 1 for a part directly in the whole text.
    let level: Int

    init(_ document: JSONDocument, base: Int, offset: Int) {
        whole = (document, base)
        self.offset = offset
        level = document.partLevel + 1
    }

    /// The path from the root of the whole text to the part.
    var path: [any CodingKey] {
        guard let (document, base) = whole else { return known }
        document.rare.partPaths += 1
        let hasTape = document.tape.count > 0
        let start = hasTape ? Int(document.entry(base).offset) : 0
        return (hasTape ? document.path(to: base) : []) + document.text.path(from: start, to: offset)
    }

    /// Stores the path, so that it is only searched once.
    mutating func note(_ path: [any CodingKey]) {
        known = path
        whole = nil
    }
}

extension JSONDocument {
    /// The nesting level up to which parts read types directly. Each level parses the text of the nested parts again.
    private static var directLevels: Int { 4 }
    /// After this number of paths of parts, nested ones included, a tape of the whole text is faster.
    private static var partPathLimit: Int { 16 }

    /// Parses the value at a reader's position. It returns `nil` if the value is not JSON, or if `Codable` is faster.
    @inline(never)
    static func take(partOf reader: borrowing JSONReader) -> JSONDocument? {
        let whole = reader.document
        guard whole.rare.partPaths < partPathLimit else { return nil }
        let document = take(whole.text, source: whole.source, options: whole.options)
        let offset = reader.scanner.position
        guard document.parse(partOf: reader) else {
            giveBack(document)
            return nil
        }
        let origin = PartOrigin(whole, base: reader.base, offset: offset)
        document.readsDirectly = origin.level <= directLevels
        document.rare.origin = origin
        return document
    }
}

extension JSONScanner {
    /// Returns the path from the value at `start`, after white space, to a value in it. The text between must be JSON.
    func path(from start: Int, to target: Int) -> [any CodingKey] {
        guard target <= end, target < Self.maximumEnd,
            var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(start: bytes, count: target), limits: JSONLimits())
        else { return [] }
        scanner.maximumDepth = .max
        scanner.position = start
        scanner.skipWhitespace()
        var tape = Tape(capacity: 64)
        // The text is cut where the target begins. So reading fails there, and leaves its containers unfinished.
        _ = try? scanner.readValue(into: &tape)
        var path: [any CodingKey] = []
        var container = 0
        while container < tape.count, tape[container].isUnfinished {
            // In an object, a name precedes each value.
            let names = tape[container].kind == .object ? 1 : 0
            var child = container + 1 + names
            var position = 0
            while child < tape.count, !tape[child].isUnfinished {
                child = Int(tape[child].next) + names
                position += 1
            }
            let name = tape[min(child, tape.count) - 1]
            path.append(
                names == 0
                    ? AnyCodingKey(index: position)
                    : AnyCodingKey(stringValue: (try? string(name.content)) ?? text(name.range)))
            container = child
        }
        return path
    }
}

extension TapeEntry {
    /// Whether this is an array or object whose end was not reached.
    fileprivate var isUnfinished: Bool { (kind == .array || kind == .object) && length == 0 }
}
