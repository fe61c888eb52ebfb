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

// Types that are not `JSONReadable` lie within types that are. Such a value gets a document of its own: the same text, with a
// tape that begins at the value. Places, paths and limits are those of the whole text.

/// Where a part of a text is.
struct PartOrigin {
    /// The document that a reader reads, and the value in it where the reading began, until the path is found out.
    private var whole: (document: JSONDocument, base: Int)?
    private let offset: Int
    private var known: [any CodingKey] = []
    /// How many parts lie around this one.
    let level: Int

    init(_ document: JSONDocument, base: Int, offset: Int) {
        whole = (document, base)
        self.offset = offset
        level = document.partLevel + 1
    }

    /// The path from the root of the whole text to the part. It is found out while the whole text is there.
    var path: [any CodingKey] {
        guard let (document, base) = whole else { return known }
        document.rare.partPaths += 1
        let hasTape = document.tape.count > 0
        let start = hasTape ? Int(document.entry(base).offset) : 0
        return (hasTape ? document.path(to: base) : []) + document.text.path(from: start, to: offset)
    }

    /// Notes the path, so that it is found out only once.
    mutating func note(_ path: [any CodingKey]) {
        known = path
        whole = nil
    }
}

extension JSONDocument {
    /// Parts of parts are parsed again for each part around them. This is how many may lie around a part that still reads
    /// types directly.
    private static var directLevels: Int { 4 }
    /// The number of parts, also within parts, whose paths are found out before the tape of the whole text is cheaper.
    private static var partPathLimit: Int { 16 }

    /// Parses the value at a reader's position. It returns `nil` if that is not JSON, or if `Codable` is cheaper.
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
    /// Returns the path from the value at an offset, or behind white space there, to a value within it. The text up to the
    /// second offset must be JSON.
    func path(from start: Int, to target: Int) -> [any CodingKey] {
        guard target <= end, target < Self.maximumEnd,
            var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(start: bytes, count: target), limits: JSONLimits())
        else { return [] }
        scanner.maximumDepth = .max
        scanner.position = start
        scanner.skipWhitespace()
        var tape = Tape(capacity: 64)
        // The text ends where the target begins. So this fails there, and the containers around the target are unfinished.
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
    /// Whether this is an array or object whose end was not read.
    fileprivate var isUnfinished: Bool { (kind == .array || kind == .object) && length == 0 }
}
