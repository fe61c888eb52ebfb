// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A parsed text, which decoders and their containers share.
///
/// While `decode` runs the document reads the caller's bytes in place. A decoder or container may be kept longer by a
/// type's `init(from:)`: then the document takes a copy (``keepText()``), so its pointer never outlives its bytes.
final class JSONDocument: @unchecked Sendable {  // `take` hands a document to one caller, who gives it back.
    @exclusivity(unchecked) private(set) var text: UnsafePointer<UInt8>
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private(set) var tape = Tape(capacity: 64)
    @exclusivity(unchecked) private(set) var options: WireJSONDecoder.Options
    @exclusivity(unchecked) private(set) var convertsNames: Bool
    /// The array which the text lies in, and where it begins there, when it is one: parts then share its storage.
    @exclusivity(unchecked) private var source: ArraySlice<UInt8>?
    @exclusivity(unchecked) private var copy: UnsafeMutablePointer<UInt8>?
    /// The names of wide objects.
    @exclusivity(unchecked) var indexes: [Int: NameIndex] = [:]
    /// The names of all objects that were searched, when a key strategy converts them.
    @exclusivity(unchecked) var converted: [Int: [NameBytes: Int]] = [:]
    /// The last entry is not in the text: it is the null which stands for a missing `super`, the last one at this path.
    @exclusivity(unchecked) private var nullPath: [any CodingKey] = []
    @exclusivity(unchecked) var boxes = ContainerBoxes<KeyedPlace>()
    let types = KnownTypes<any JSONCollection.Type>()

    private init(_ text: UnsafePointer<UInt8>, _ options: WireJSONDecoder.Options) {
        self.text = text
        self.options = options
        convertsNames = options.convertsNames
    }

    deinit {
        copy?.deallocate()
    }

    // MARK: Reuse

    /// Documents that are not in use, with the memory they have grown and the boxes they have made.
    private static let spares = SpareShelf<JSONDocument>()
    /// Documents whose keyed containers somebody has kept: they live until those are gone.
    private static let kept = Mutex<[JSONDocument]>([])

    /// Parses a text.
    static func take(
        _ buffer: UnsafeRawBufferPointer, source: ArraySlice<UInt8>?, options: WireJSONDecoder.Options
    ) throws(JSONSyntaxError) -> JSONDocument {
        guard var scanner = JSONScanner(buffer, limits: options.limits) else {
            throw JSONSyntaxError(.emptyText, at: 0, in: buffer)
        }
        let document = spares.take() ?? make(scanner.bytes, options)
        document.text = scanner.bytes
        document.count = buffer.count
        document.source = source
        if document.options !== options {
            document.options = options
            document.convertsNames = options.convertsNames
        }
        do throws(ScanFault) {
            try document.parse(&scanner)
        } catch {
            giveBack(document)
            throw JSONSyntaxError(error, in: buffer)
        }
        return document
    }

    @inline(never)
    private static func make(_ text: UnsafePointer<UInt8>, _ options: WireJSONDecoder.Options) -> JSONDocument {
        kept.withLock { $0.removeAll { $0.boxes.areIdle() } }
        return JSONDocument(text, options)
    }

    private func parse(_ scanner: inout JSONScanner) throws(ScanFault) {
        tape.removeAll(reserving: count < 2048 ? count / 3 + 8 : count / 6)
        try scanner.readText(into: &tape)
        tape.append(TapeEntry(offset: 0, length: 0, next: UInt32(truncatingIfNeeded: tape.count + 1), kind: .null))
    }

    /// Ends the run which took a document. One that somebody still refers to stays as it is, with the bytes as its own.
    static func end(_ document: inout JSONDocument) {
        let hasIdleBoxes = document.boxes.areIdle()
        if hasIdleBoxes, isKnownUniquelyReferenced(&document) { return giveBack(document) }
        document.keepText()
        document.boxes.retire()
        if !hasIdleBoxes { kept.withLock { $0.append(document) } }
    }

    private static func giveBack(_ document: JSONDocument) {
        if document.tape.capacity > 1 << 12 { document.tape = Tape(capacity: 64) }
        document.source = nil
        if !document.indexes.isEmpty { document.indexes = [:] }
        if !document.converted.isEmpty { document.converted = [:] }
        if !document.nullPath.isEmpty { document.nullPath = [] }
        spares.put(document)
    }

    /// Makes the document independent of the bytes it was parsed from.
    func keepText() {
        guard copy == nil else { return }
        let kept = UnsafeMutablePointer<UInt8>.allocate(capacity: count)
        kept.initialize(from: text, count: count)
        copy = kept
        text = UnsafePointer(kept)
    }

    @inline(__always)
    func entry(_ index: Int) -> TapeEntry {
        tape.entries[index]
    }

    /// A value's bytes, with a string's quotes.
    func bytes(of entry: TapeEntry) -> RawJSON {
        if entry.kind == .null { return .null }
        let quote = entry.kind == .string ? 1 : 0
        let range = (entry.range.lowerBound - quote)..<(entry.range.upperBound + quote)
        if let source {
            return RawJSON(
                unchecked: source[(source.startIndex + range.lowerBound)..<(source.startIndex + range.upperBound)])
        }
        return RawJSON(unchecked: Array(UnsafeBufferPointer(start: text + range.lowerBound, count: range.count)))
    }

    /// The place of a `null` which is not in the text.
    func null(at path: [any CodingKey]) -> Int {
        nullPath = path
        return tape.count - 1
    }

    /// Line and column of a value, for messages.
    func place(of index: Int) -> String {
        let offset = Int(entry(index).offset) - (entry(index).kind == .string ? 1 : 0)
        let place = JSONSyntaxError(.expectedValue, at: offset, in: UnsafeRawBufferPointer(start: text, count: count))
        return "byte \(place.offset), line \(place.line), column \(place.column)"
    }
}

/// Paths are not kept while decoding: they are found again from the tape when somebody asks.
extension JSONDocument {
    /// The way from the root to a value.
    func path(to target: Int) -> [any CodingKey] {
        if target == tape.count - 1 { return nullPath }
        var path: [any CodingKey] = []
        var index = 0
        while index != target {
            let container = entry(index)
            guard container.kind == .object || container.kind == .array else { return path }
            var child = index + 1
            var position = 0
            while child < container.next {
                let value = container.kind == .object ? child + 1 : child
                let next = Int(entry(value).next)
                if target < next {
                    path.append(
                        container.kind == .object
                            ? AnyCodingKey(stringValue: convertedName(child, in: index))
                            : AnyCodingKey(index: position))
                    child = value
                    break
                }
                child = next
                position += 1
            }
            guard child > index, child < container.next else { return path }
            index = child
        }
        return path
    }
}
