// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A name that is compared by its bytes (RFC 8259 §8.3), which Swift strings are not.
struct NameBytes: Hashable {
    var text: String

    static func == (left: NameBytes, right: NameBytes) -> Bool {
        // Strings that differ have different bytes; equal ones need not have the same.
        left.text.utf8.count == right.text.utf8.count && left.text == right.text
            && left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
