// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The expectation of a script for one message.
indirect enum MessagePattern: Sendable {
    case any
    /// Any value at first, which is stored under the name. Later only the stored value.
    case name(String)
    case value(JSONValue)
    case array([MessagePattern])
    /// The members in `ignored` may be there or not; `nil` stands for all others.
    case object([(name: String, pattern: MessagePattern)], ignored: Set<String>? = [])

    /// Values by their names, `$` included.
    typealias Bindings = [String: JSONValue]

    // MARK: Making

    /// Makes the pattern of a whole message. An object without `jsonrpc` leaves out the version and, if it has none,
    /// the id.
    init(message: JSONValue) {
        switch message {
        case .array(let members): self = .array(members.map { MessagePattern(message: $0) })
        case .object(let members) where members["jsonrpc"] == nil:
            self = .object(
                members.map { ($0.key, MessagePattern($0.value)) },
                ignored: members["id"] == nil ? ["jsonrpc", "id"] : ["jsonrpc"])
        case .null, .bool, .number, .string, .object: self.init(message)
        }
    }

    /// Makes a pattern. A string such as `$name` is a name, and `$_` any value. `$$name` is the string `$name`.
    ///
    /// - Parameter exactly: Whether strings have no such meaning, so that only this value matches.
    init(_ value: JSONValue, exactly: Bool = false) {
        switch value {
        case .string("$_") where !exactly: self = .any
        case .string(let text) where !exactly && Self.isName(text): self = .name(text)
        case .string(let text) where !exactly && text.hasPrefix("$$"): self = .value(.string(String(text.dropFirst())))
        case .array(let elements): self = .array(elements.map { MessagePattern($0, exactly: exactly) })
        case .object(let members):
            self = .object(members.map { ($0.key, MessagePattern($0.value, exactly: exactly)) })
        case .null, .bool, .number, .string: self = .value(value)
        }
    }

    /// Whether a string is `$` and a word, unlike the method `$/progress`.
    static func isName(_ text: some StringProtocol) -> Bool {
        text.hasPrefix("$") && text != "$"
            && text.dropFirst().allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    // MARK: Comparing

    /// Compares a value with the pattern, and stores the values of new names. The order of members makes no difference.
    ///
    /// - Returns: The first difference, such as `at $.params[0]: expected 42, received 43`; `nil` if the value matches.
    func difference(from value: JSONValue, _ bindings: inout Bindings, path: String = "$") -> String? {
        switch (self, value) {
        case (.any, _): return nil
        case (.name(let name), _):
            if let bound = bindings[name] {
                return MessagePattern(bound, exactly: true).difference(from: value, &bindings, path: path)
            }
            bindings[name] = value
            return nil
        case (.value(let expected), _):
            return expected == value ? nil : Self.text(Self.comparison(expected, value), at: path)
        case (.array(let patterns), .array(let values)):
            guard patterns.count == values.count else {
                return Self.text("expected \(patterns.count) elements, received \(values.count)", at: path)
            }
            for (index, pattern) in patterns.enumerated() {
                if let difference = pattern.difference(from: values[index], &bindings, path: "\(path)[\(index)]") {
                    return difference
                }
            }
            return nil
        case (.object(let members, let ignored), .object(let values)):
            return Self.difference(members, ignored, values, &bindings, path)
        case (.array, _): return Self.text("expected an array, received \(Self.shown(value))", at: path)
        case (.object, _): return Self.text("expected an object, received \(Self.shown(value))", at: path)
        }
    }

    private static func difference(
        _ members: [(name: String, pattern: MessagePattern)], _ ignored: Set<String>?, _ values: JSONObject,
        _ bindings: inout Bindings, _ path: String
    ) -> String? {
        for (name, pattern) in members {
            let shown = name.excerpt(maximumCharacters)
            guard let value = values[name] else { return text("expected a member \"\(shown)\"", at: path) }
            if let difference = pattern.difference(from: value, &bindings, path: "\(path).\(shown)") {
                return difference
            }
        }
        guard let ignored else { return nil }
        let known = ignored.union(members.map(\.name))
        return values.keys.first { !known.contains($0) }.map {
            text("expected no member \"\($0.excerpt(maximumCharacters))\"", at: path)
        }
    }

    // MARK: Showing

    /// The number of characters of a value and of a name that are shown.
    private static let maximumCharacters = 100

    private static func text(_ difference: String, at path: String) -> String {
        "at \(path.excerpt(ScriptFailure.maximumCharacters)): \(difference)"
    }

    /// Shows two values that differ. Of long strings with the same beginning, it shows the part that differs.
    private static func comparison(_ expected: JSONValue, _ received: JSONValue) -> String {
        guard case .string(let old) = expected, case .string(let new) = received,
            case let count = zip(old, new).lazy.prefix(while: { $0 == $1 }).reduce(0, { count, _ in count + 1 }),
            count > maximumCharacters / 2
        else { return "expected \(shown(expected)), received \(shown(received))" }
        func rest(_ string: String) -> String {
            shown(.string(String(string.dropFirst(count).prefix(maximumCharacters))))
        }
        return "expected \(rest(old)), received \(rest(new)) after \(count) equal characters"
    }

    /// Returns the beginning of a value as JSON.
    private static func shown(_ value: JSONValue) -> String { "\(value)".excerpt(maximumCharacters) }

    // MARK: Responses

    /// The ids of the responses that the pattern stands for. Null is left out, because several messages can have it.
    var responseIDs: Set<JSONValue> {
        switch self {
        case .array(let patterns): return patterns.reduce(into: []) { $0.formUnion($1.responseIDs) }
        case .object(let members, _):
            guard !members.contains(where: { $0.name == "method" }),
                case .value(let id)? = members.first(where: { $0.name == "id" })?.pattern, id != .null
            else { return [] }
            return [id]
        case .any, .name, .value: return []
        }
    }

    /// Returns whether a message is a request or a notification of the pattern's method.
    func hasMethod(of message: ReceivedMessage) -> Bool {
        guard case .object(let members, _) = self, let method = message.json?["method"],
            case .value(let expected)? = members.first(where: { $0.name == "method" })?.pattern
        else { return false }
        return method == expected
    }

    /// Returns whether a message has the id of one of these responses.
    static func isResponse(_ message: JSONValue, to ids: Set<JSONValue>) -> Bool {
        (message.arrayValue ?? [message]).contains { member in
            member["method"] == nil && member["id"].map(ids.contains) == true
        }
    }
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
