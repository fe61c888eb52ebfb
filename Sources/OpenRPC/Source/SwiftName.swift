// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Converts names in a document to names in Swift.
enum SwiftName {
    /// Returns the name of a type: `pet_owner` becomes `PetOwner`.
    static func type(_ name: String) -> String {
        let words = words(name)
        let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return reservedTypes.contains(joined) ? joined + "Value" : begun(joined, or: "Value")
    }

    /// Returns the name of a method, a parameter, a property or a case, without backticks: `screen_name` becomes
    /// `screenName`, `URLPath` becomes `urlPath`.
    static func member(_ name: String) -> String {
        let words = words(name)
        guard let first = words.first else { return "value" }
        let capitals = first.prefix { $0.isUppercase }
        // The last capital of a run begins the next word.
        let lowered = capitals.count == first.count || capitals.count <= 1 ? capitals : capitals.dropLast()
        let start = lowered.lowercased() + first.dropFirst(lowered.count)
        let joined = start + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return unusable.contains(joined) ? joined + "Value" : begun(joined, or: "value")
    }

    /// Returns the name for use in code, with backticks if it is a keyword.
    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// Returns a name that is not taken, with a number appended if necessary, and marks it as taken.
    static func unique(_ name: String, among taken: inout Set<String>) -> String {
        var candidate = name
        var number = 2
        while !taken.insert(candidate).inserted {
            candidate = name + String(number)
            number += 1
        }
        return candidate
    }

    /// Returns the text as a string literal.
    static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": literal += "\\\""
            case "\\": literal += "\\\\"
            case "\n": literal += "\\n"
            case "\r": literal += "\\r"
            case "\t": literal += "\\t"
            case "\u{0}"..<"\u{20}", "\u{7F}", "\u{2028}", "\u{2029}":
                literal += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
            default: literal.unicodeScalars.append(scalar)
            }
        }
        return literal + "\""
    }

    private static func words(_ name: String) -> [Substring] {
        name.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
    }

    private static func begun(_ name: String, or empty: String) -> String {
        guard let first = name.first else { return empty }
        return first.isNumber ? "_" + name : name
    }

    private static let keywords: Set<String> = [
        "actor", "any", "as", "associatedtype", "await", "break", "case", "catch", "class", "continue", "default",
        "defer", "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func",
        "guard", "if", "import", "in", "inout", "internal", "is", "let", "nil", "operator", "package",
        "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "static", "struct",
        "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ]

    /// Names that cannot be used even with backticks, or that conflict with requirements of the generated types.
    private static let unusable: Set<String> = ["self", "init", "hash", "hashValue", "encode", "description"]

    /// Names of types that the generated code uses, or that would be misleading.
    private static let reservedTypes: Set<String> = [
        "Any", "AnyObject", "Array", "Bool", "Character", "Codable", "CodingKey", "CodingKeys", "Decodable", "Decoder",
        "DecodingError", "Dictionary", "Double", "Encodable", "Encoder", "Error", "Float", "Hashable", "Indirect",
        "Int", "JSONValue", "Never", "NotificationStream", "Optional", "Protocol", "Result", "Self", "Sendable", "Set",
        "String", "Task", "Type", "Void",
    ]
}
