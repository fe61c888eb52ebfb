// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A parsed text, which decoders and their containers share.
///
/// During `decode`, the document reads the caller's bytes in place. An `init(from:)` may keep a decoder or container
/// for longer. In that case the document copies the text (``keepText()``), so its pointer never outlives its bytes.
@safe final class JSONDocument: @unchecked Sendable {  // `take` gives a document to one caller, which returns it.
    /// The variables that few documents need.
    struct RareState {
        /// The names of wide objects.
        var indexes: [Int: NameIndex] = [:]
        /// The names of all objects that were searched, if a key strategy converts them.
        var converted: [Int: [NameBytes: Int]] = [:]
        /// The path of the `null` for a missing `super`, or of the last one if there were several.
        fileprivate var nullPath: [any CodingKey] = []
        /// The position in the whole text, if this document is a part that a reader needs.
        var origin: PartOrigin?
        // A type that tries several forms makes an error for each value, so each search continues from the last
        // position.
        /// The line of the last position that was requested.
        fileprivate var lines: LineCounter?
        /// The path to the last value whose path was requested.
        fileprivate var lastSteps: [PathStep] = []
        /// The number of paths of parts that were searched. Each search scans the text before the part.
        var partPaths = 0
    }

    /// A step from a container to one of its values.
    fileprivate struct PathStep {
        var container: Int
        /// The entry of the value, or of its name in an object.
        var child: Int
        /// The value's position in an array.
        var position: Int?
    }

    // Accesses never overlap: each ends before user code runs.
    /// The text, with the position at its start.
    @safe @exclusivity(unchecked) private(set) var text: JSONScanner
    @safe @exclusivity(unchecked) var tape = Tape(capacity: 64)
    @safe @exclusivity(unchecked) private(set) var options: WireJSONDecoder.Options
    @safe @exclusivity(unchecked) private(set) var convertsNames: Bool
    /// The array that stores the text, if there is one. Parts then share its storage.
    @safe @exclusivity(unchecked) private(set) var source: ArraySlice<UInt8>?
    @safe @exclusivity(unchecked) var boxes = ContainerBoxes<KeyedPlace>()
    /// Whether ``JSONReadable`` types are read directly. The first failure ends this, so that reading is not retried.
    @safe @exclusivity(unchecked) var readsDirectly = true
    @safe @exclusivity(unchecked) var rare = RareState()
    /// The document's own copy of the text, made if something refers to the document after `decode` has returned.
    private var copy: UnsafeMutableBufferPointer<UInt8>?
    let types = KnownTypes<any JSONCollection.Type>()

    private init(_ text: JSONScanner, _ options: WireJSONDecoder.Options) {
        self.text = text
        self.options = options
        convertsNames = options.values.convertsNames
    }

    deinit {
        unsafe copy?.deallocate()
    }

    // MARK: Reuse

    /// Unused documents, with their grown memory and their boxes. A document is retired if a value has kept one of its
    /// keyed containers. It then lives until the containers are gone.
    private static let pool = ObjectPool<JSONDocument>()

    /// Returns a document for a text that is not parsed yet.
    static func take(
        _ text: JSONScanner, source: consuming ArraySlice<UInt8>?, options: WireJSONDecoder.Options
    ) -> JSONDocument {
        let document = pool.take() ?? make(text, options)
        document.text = text
        document.source = source
        if document.options !== options {
            document.options = options
            document.convertsNames = options.values.convertsNames
        }
        return document
    }

    func parse() throws(ScanFault) {
        var scanner = text
        tape.removeAll(reserving: text.end < 2048 ? text.end / 3 + 8 : text.end / 6)
        try scanner.readText(into: &tape)
        endTape()
    }

    /// Parses the value at a reader's position. It returns false if the value is not JSON.
    func parse(partOf reader: borrowing JSONReader) -> Bool {
        var scanner = reader.scanner
        scanner.maximumDepth = reader.depth
        tape.removeAll(reserving: 64)
        guard (try? scanner.readValue(into: &tape)) != nil else { return false }
        endTape()
        return true
    }

    /// The nesting level of this part, or 0 if the document is a whole text.
    var partLevel: Int { rare.origin?.level ?? 0 }

    /// Appends the last entry, a `null` that has no position in the text.
    private func endTape() {
        tape.append(TapeEntry(offset: 0, length: 0, next: UInt32(truncatingIfNeeded: tape.count + 1), kind: .null))
    }

    @inline(never)
    private static func make(_ text: JSONScanner, _ options: WireJSONDecoder.Options) -> JSONDocument {
        pool.release { $0.boxes.areIdle() }
        return JSONDocument(text, options)
    }

    /// Ends a document's run. It returns whether something still refers to the document. In that case the document
    /// copies the text and is not reused.
    @discardableResult
    static func end(_ document: consuming JSONDocument) -> Bool {
        let hasIdleBoxes = document.boxes.areIdle()
        if hasIdleBoxes, isKnownUniquelyReferenced(&document) {
            giveBack(document)
            return false
        }
        document.keepText()
        document.boxes.retire()
        if !hasIdleBoxes { pool.retire(document) }
        return true
    }

    static func giveBack(_ document: consuming JSONDocument) {
        if document.tape.capacity > 1 << 12 { document.tape = Tape(capacity: 64) }
        document.source = nil
        if !document.rare.indexes.isEmpty { document.rare.indexes = [:] }
        if !document.rare.converted.isEmpty { document.rare.converted = [:] }
        if !document.rare.nullPath.isEmpty { document.rare.nullPath = [] }
        if document.rare.origin != nil { document.rare.origin = nil }
        if document.rare.lines != nil { document.rare.lines = nil }
        if !document.rare.lastSteps.isEmpty { document.rare.lastSteps = [] }
        document.rare.partPaths = 0
        document.readsDirectly = true
        pool.put(document)
    }

    /// Copies the text, so that the document does not need the caller's bytes.
    func keepText() {
        guard unsafe copy == nil else { return }
        _ = originPath
        let kept = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.end)
        _ = unsafe kept.initialize(from: text.utf8(0..<text.end))
        // The document owns the copy, and so does not outlive it.
        if let scanner = unsafe JSONScanner(UnsafeRawBufferPointer(kept), limits: options.values.limits) {
            text = scanner
        }
        unsafe copy = unsafe kept
    }

    @inline(__always)
    func entry(_ index: Int) -> TapeEntry { tape[index] }

    /// Returns a value's bytes, including a string's quotes.
    func bytes(of entry: TapeEntry) -> RawJSON {
        if entry.kind == .null { return .null }
        let quote = entry.kind == .string ? 1 : 0
        return bytes(in: (entry.range.lowerBound - quote)..<(entry.range.upperBound + quote))
    }

    /// Returns the bytes of a range of the text, which must be a value.
    func bytes(in range: Range<Int>) -> RawJSON {
        if let source {
            return RawJSON(
                unchecked: source[(source.startIndex + range.lowerBound)..<(source.startIndex + range.upperBound)])
        }
        return unsafe RawJSON(unchecked: Array(text.utf8(range)))
    }

    /// Returns the entry of a `null` that is not in the text.
    func null(at path: [any CodingKey]) -> Int {
        rare.nullPath = path
        return tape.count - 1
    }

    /// Returns the path, line and column of a value for an error description.
    func place(of index: Int) -> String {
        let offset = Int(entry(index).offset) - (entry(index).kind == .string ? 1 : 0)
        var lines = rare.lines ?? LineCounter()
        unsafe lines.move(to: offset, in: UnsafeRawBufferPointer(text.utf8(0..<text.end)))
        rare.lines = lines
        return "`\(pathText(to: index))` (line \(lines.line), column \(offset - lines.lineStart + 1))"
    }
}

/// Paths are not recorded while decoding. They are searched in the tape on request.
extension JSONDocument {
    func path(to target: Int) -> [any CodingKey] {
        if target == tape.count - 1 { return rare.nullPath }
        // A custom key strategy receives the converted path before a name. Each name is converted once.
        return steps(to: target).reduce(into: originPath) { path, step in
            let key =
                step.position.map(AnyCodingKey.init(index:))
                ?? AnyCodingKey(stringValue: convertedName(step.child, at: path))
            path.append(key)
        }
    }

    /// The path from the root of the whole text to the root of this document.
    private var originPath: [any CodingKey] {
        guard let origin = rare.origin else { return [] }
        let path = origin.path
        rare.origin?.note(path)
        return path
    }

    /// Returns the path from the root to a value as text, such as `$.items[3].id`.
    private func pathText(to target: Int) -> String {
        let root = originPath.map { key in (name: key.stringValue, position: key.intValue) }
        let steps = steps(to: target).map { step in
            let content = entry(step.child).content
            return (name: (try? self.text.string(content)) ?? self.text.text(content.range), position: step.position)
        }
        let text = (root + steps).reduce(into: "$") { text, step in
            let name = step.name
            if let position = step.position { return text += "[\(position)]" }
            let isPlain =
                !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !#".[]"\`"#.utf8.contains($0) }
            let excerpt = name.count > 64 ? "\(name.prefix(64))…" : name
            text += isPlain ? ".\(excerpt)" : "[\(excerpt.debugDescription)]"
        }
        return text.count > 256 ? "\(text.prefix(64))…\(text.suffix(128))" : text
    }

    /// Returns the steps from the root to a value. The search continues from the last requested value.
    private func steps(to target: Int) -> [PathStep] {
        let last = rare.lastSteps
        var steps: [PathStep] = []
        defer { rare.lastSteps = steps }
        var index = 0
        while index != target {
            let container = entry(index)
            guard container.kind == .object || container.kind == .array else { return steps }
            let isObject = container.kind == .object
            var child = index + 1
            var position = 0
            if steps.count < last.count, last[steps.count].container == index, last[steps.count].child <= target {
                child = last[steps.count].child
                position = last[steps.count].position ?? 0
            }
            var value = isObject ? child + 1 : child
            while child < container.next, target >= entry(value).next {
                child = Int(entry(value).next)
                value = isObject ? child + 1 : child
                position += 1
            }
            guard child < container.next else { return steps }
            steps.append(PathStep(container: index, child: child, position: isObject ? nil : position))
            index = value
        }
        return steps
    }
}
