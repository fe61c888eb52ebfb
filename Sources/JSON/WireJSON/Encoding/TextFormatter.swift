// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Formats a JSON text with indentation or sorted members.
struct TextFormatter {
    private let isPretty: Bool
    private let isSorted: Bool

    init(_ formatting: WireJSONEncoder.OutputFormatting) {
        isPretty = formatting.contains(.prettyPrinted)
        isSorted = formatting.contains(.sortedKeys)
    }

    func format(_ text: UnsafeRawBufferPointer, into bytes: inout [UInt8]) throws(JSONSyntaxError) {
        var tape = Tape(capacity: text.count / 6 + 8)
        guard var scanner = unsafe JSONScanner(text, limits: JSONLimits()) else { return }
        scanner.maximumDepth = .max  // The text was written by this package.
        do throws(ScanFault) {
            try scanner.readText(into: &tape)
        } catch {
            throw unsafe JSONSyntaxError(error, in: text)
        }
        unsafe write(0, of: tape, text, depth: 0, into: &bytes)
    }

    private func write(
        _ index: Int, of tape: borrowing Tape, _ text: UnsafeRawBufferPointer, depth: Int, into bytes: inout [UInt8]
    ) {
        let entry = tape[index]
        switch entry.kind {
        case .array, .object:
            let isObject = entry.kind == .object
            bytes.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
            var isFirst = true
            for child in unsafe children(of: index, in: tape, text) {
                if !isFirst { bytes.append(UInt8(ascii: ",")) }
                isFirst = false
                newLine(depth + 1, into: &bytes)
                if isObject {
                    unsafe writeString(tape[child], text, into: &bytes)
                    bytes.append(contentsOf: (isPretty ? " : " : ":").utf8)
                }
                unsafe write(isObject ? child + 1 : child, of: tape, text, depth: depth + 1, into: &bytes)
            }
            // Foundation's encoder puts an empty line into an empty container.
            if isFirst, isPretty { bytes.append(UInt8(ascii: "\n")) }
            newLine(depth, into: &bytes)
            bytes.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        case .string, .name:
            unsafe writeString(entry, text, into: &bytes)
        case .null, .true, .false, .integer, .decimal:
            unsafe bytes.append(contentsOf: text[entry.range])
        }
    }

    private func writeString(_ entry: TapeEntry, _ text: UnsafeRawBufferPointer, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        unsafe bytes.append(contentsOf: text[entry.range])
        bytes.append(UInt8(ascii: "\""))
    }

    private func newLine(_ depth: Int, into bytes: inout [UInt8]) {
        guard isPretty else { return }
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
    }

    /// The entries of an array's elements, or of an object's names.
    private func children(of index: Int, in tape: borrowing Tape, _ text: UnsafeRawBufferPointer) -> [Int] {
        var children: [Int] = []
        let isObject = tape[index].kind == .object
        var child = index + 1
        while child < tape[index].next {
            children.append(child)
            child = Int(tape[isObject ? child + 1 : child].next)
        }
        guard isSorted, isObject else { return children }
        let named = children.map { child in
            let content = tape[child].content
            let name = try? unsafe StringContent.string(in: text, range: content.range, isEscaped: content.isEscaped)
            return (name: Array((name ?? "").utf8), child: child)
        }
        return named.sorted { $0.name.lexicographicallyPrecedes($1.name) }.map(\.child)
    }
}
