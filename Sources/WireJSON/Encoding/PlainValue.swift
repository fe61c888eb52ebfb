// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Values that need no `Encodable` machinery, as most params and results are: written straight into the caller's bytes.
enum PlainValue {
    /// Writes a value; false, and nothing written, when its type is none of those known here.
    @inline(__always)
    static func append<T>(_ value: T, to bytes: inout [UInt8], escapesSlashes: Bool) -> Bool {
        if T.self == Int.self {
            JSONText.writeInteger(same(value, as: Int.self), into: &bytes)
        } else if T.self == String.self {
            JSONText.writeString(same(value, as: String.self), into: &bytes, escapesSlashes: escapesSlashes)
        } else if T.self == Bool.self {
            bytes.append(contentsOf: (same(value, as: Bool.self) ? "true" : "false").utf8)
        } else if T.self == RawJSON.self {
            bytes.append(contentsOf: same(value, as: RawJSON.self).bytes)
        } else if T.self == JSONValue.self {
            same(value, as: JSONValue.self).write(into: &bytes, escapesSlashes: escapesSlashes)
        } else if T.self == [Int].self {
            write(same(value, as: [Int].self), into: &bytes) { JSONText.writeInteger($0, into: &$1) }
        } else if T.self == [String].self {
            write(same(value, as: [String].self), into: &bytes) {
                JSONText.writeString($0, into: &$1, escapesSlashes: escapesSlashes)
            }
        } else {
            return false
        }
        return true
    }

    @inline(__always)
    private static func write<Element>(
        _ elements: [Element], into bytes: inout [UInt8], _ element: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(UInt8(ascii: "["))
        var isFirst = true
        for value in elements {
            if !isFirst { bytes.append(UInt8(ascii: ",")) }
            isFirst = false
            element(value, &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
    }
}
