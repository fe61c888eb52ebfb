// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A parsed text, which decoders and their containers share.
///
/// While `decode` runs the document reads the caller's bytes in place. A decoder or container may be kept longer by a
/// type's `init(from:)`: then the document takes a copy (``keepText()``), so its pointer never outlives its bytes.
final class JSONDocument {
    @exclusivity(unchecked) private(set) var text: UnsafePointer<UInt8>
    let count: Int
    let tape: Tape
    let options: WireJSONDecoder.Options
    /// The array which the text lies in, and where it begins there, when it is one: parts then share its storage.
    private let source: ArraySlice<UInt8>?
    private var copy: UnsafeMutablePointer<UInt8>?
    /// The names of wide objects, and of all objects when names are converted.
    @exclusivity(unchecked) var names: [Int: NameIndex] = [:]
    /// The last entry is not in the text: it is the null which stands for a missing `super`, the last one at this path.
    private var nullPath: [any CodingKey] = []

    init(
        _ buffer: UnsafeRawBufferPointer, source: ArraySlice<UInt8>?, options: WireJSONDecoder.Options
    ) throws(JSONSyntaxError) {
        guard var scanner = JSONScanner(buffer, limits: options.limits) else {
            throw JSONSyntaxError(.emptyText, at: 0, in: buffer)
        }
        var tape = Tape(capacity: buffer.count < 2048 ? buffer.count / 3 + 8 : buffer.count / 6)
        do throws(ScanFault) {
            try scanner.readText(into: &tape)
        } catch {
            throw JSONSyntaxError(error, in: buffer)
        }
        tape.append(TapeEntry(offset: 0, length: 0, next: UInt32(truncatingIfNeeded: tape.count + 1), kind: .null))
        text = scanner.bytes
        count = buffer.count
        self.tape = tape
        self.source = source
        self.options = options
    }

    deinit {
        copy?.deallocate()
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
