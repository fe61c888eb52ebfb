// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The first difference between an expected and a received value.
struct ValueDifference {
    /// The path of the difference below the values, such as `.items[3]`.
    var path = ""
    /// The difference, such as `expected 42, received 43`. Long values are cut.
    var text: String

    /// The number of characters of a value that are shown.
    static let maximumCharacters = 100

    /// Returns the first difference; `nil` if the values are equal. The order of members makes no difference.
    init?(expected: JSONValue, received: JSONValue) {
        switch (expected, received) {
        case (.array(let old), .array(let new)):
            guard old.count == new.count else {
                text = "expected \(old.count) elements, received \(new.count)"
                return
            }
            for (index, (old, new)) in zip(old, new).enumerated() {
                guard let inner = ValueDifference(expected: old, received: new) else { continue }
                self = ValueDifference(path: "[\(index)]\(inner.path)", text: inner.text)
                return
            }
            return nil
        case (.object(let old), .object(let new)):
            for (name, value) in old {
                guard let other = new[name] else {
                    text = "expected a member \"\(name.excerpt(Self.maximumCharacters))\""
                    return
                }
                guard let inner = ValueDifference(expected: value, received: other) else { continue }
                self = ValueDifference(path: ".\(name.excerpt(Self.maximumCharacters))\(inner.path)", text: inner.text)
                return
            }
            guard let extra = new.first(where: { old[$0.key] == nil }) else { return nil }
            text = "expected no member \"\(extra.key.excerpt(Self.maximumCharacters))\""
        default:
            guard expected != received else { return nil }
            text = Self.comparison(expected, received)
        }
    }

    private init(path: String, text: String) {
        self.path = path
        self.text = text
    }

    /// Shows two values that differ as a whole. Of long strings with the same beginning, it shows the part that differs.
    private static func comparison(_ expected: JSONValue, _ received: JSONValue) -> String {
        guard case .string(let old) = expected, case .string(let new) = received,
            case let count = equalCharacters(old, new), count > maximumCharacters / 2
        else { return "expected \(text(expected)), received \(text(received))" }
        func rest(_ string: String) -> String {
            text(.string(String(string.dropFirst(count).prefix(maximumCharacters))))
        }
        return "expected \(rest(old)), received \(rest(new)) after \(count) equal characters"
    }

    /// Returns the number of equal characters at the beginning of two strings.
    private static func equalCharacters(_ left: String, _ right: String) -> Int {
        var count = 0
        for (left, right) in zip(left, right) {
            guard left == right else { break }
            count += 1
        }
        return count
    }

    /// Returns the beginning of a value as JSON.
    static func text(_ value: JSONValue) -> String { "\(value)".excerpt(maximumCharacters) }
}

extension String {
    /// Returns the text, cut after this number of characters if it is longer.
    func excerpt(_ maximumCharacters: Int) -> String {
        guard let end = index(startIndex, offsetBy: maximumCharacters, limitedBy: endIndex), end < endIndex else {
            return self
        }
        return "\(self[..<end])… (\(utf8.count) bytes)"
    }
}
