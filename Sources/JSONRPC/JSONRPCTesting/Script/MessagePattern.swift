// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// The expectation of a script for one message.
indirect enum MessagePattern: Sendable {
    case any
    /// Any value at first, which gets the name. Later the same value.
    case name(String)
    case value(JSONValue)
    case array([MessagePattern])
    /// The members in `ignored` may be there or not; `nil` stands for all others.
    case object([(name: String, pattern: MessagePattern)], ignored: Set<String>? = [])

    /// Values by their names, `$` included.
    typealias Bindings = [String: JSONValue]

    /// Makes the pattern of a whole message. An object without `jsonrpc` leaves out the version and, if it has none, the
    /// id.
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
    init(_ value: JSONValue) {
        switch value {
        case .string(let text):
            if text == "$_" {
                self = .any
            } else if Self.isName(text) {
                self = .name(text)
            } else {
                self = .value(.string(text.hasPrefix("$$") ? String(text.dropFirst()) : text))
            }
        case .array(let elements): self = .array(elements.map { MessagePattern($0) })
        case .object(let members): self = .object(members.map { ($0.key, MessagePattern($0.value)) })
        case .null, .bool, .number: self = .value(value)
        }
    }

    /// Whether a string is `$` and a word, unlike the method `$/progress`.
    static func isName(_ text: some StringProtocol) -> Bool {
        text.utf8.count > 1 && text.hasPrefix("$")
            && text.utf8.dropFirst().allSatisfy { $0 == UInt8(ascii: "_") || $0.isLetterOrDigit }
    }

    /// Compares a value with the pattern, and stores the values of new names.
    ///
    /// - Returns: The first difference; `nil` if the value matches.
    func difference(from value: JSONValue, _ bindings: inout Bindings, path: String = "$") -> String? {
        switch (self, value) {
        case (.any, _): return nil
        case (.name(let name), _):
            if let bound = bindings[name] { return Self.compare(bound, value, path) }
            bindings[name] = value
            return nil
        case (.value(let expected), _): return Self.compare(expected, value, path)
        case (.array(let patterns), .array(let values)):
            guard patterns.count == values.count else {
                return "at \(path): expected \(patterns.count) elements, received \(values.count)"
            }
            for (index, pattern) in patterns.enumerated() {
                if let difference = pattern.difference(from: values[index], &bindings, path: "\(path)[\(index)]") {
                    return difference
                }
            }
            return nil
        case (.object(let members, let ignored), .object(let values)):
            return Self.difference(members, ignored, values, &bindings, path)
        case (.array, _): return "at \(path): expected an array, received \(ValueDifference.text(value))"
        case (.object, _): return "at \(path): expected an object, received \(ValueDifference.text(value))"
        }
    }

    private static func difference(
        _ members: [(name: String, pattern: MessagePattern)], _ ignored: Set<String>?, _ values: JSONObject,
        _ bindings: inout Bindings, _ path: String
    ) -> String? {
        for (name, pattern) in members {
            guard let value = values[name] else { return "at \(path): expected a member \"\(name)\"" }
            if let difference = pattern.difference(from: value, &bindings, path: "\(path).\(name)") {
                return difference
            }
        }
        guard let ignored else { return nil }
        let extra = values.keys.first { name in !ignored.contains(name) && !members.contains { $0.name == name } }
        return extra.map { "at \(path): expected no member \"\($0)\"" }
    }

    private static func compare(_ expected: JSONValue, _ value: JSONValue, _ path: String) -> String? {
        ValueDifference(expected: expected, received: value).map {
            "at \(path)\($0.path.excerpt(ScriptFailure.maximumCharacters)): \($0.text)"
        }
    }

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

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
