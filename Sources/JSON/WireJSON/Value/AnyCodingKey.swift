// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The name of a member, or the index of an element, which is known only at run time.
struct AnyCodingKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init(intValue: Int) {
        stringValue = intValue.description
        self.intValue = intValue
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    static let superKey = AnyCodingKey(stringValue: "super")
}
