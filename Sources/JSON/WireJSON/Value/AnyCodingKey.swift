// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A coding key for a member's name or an element's index that is only known at run time.
package struct AnyCodingKey: CodingKey {
    package let stringValue: String
    package let intValue: Int?

    package init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    package init(intValue: Int) {
        stringValue = intValue.description
        self.intValue = intValue
    }

    init(index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    static let superKey = AnyCodingKey(stringValue: "super")
}
