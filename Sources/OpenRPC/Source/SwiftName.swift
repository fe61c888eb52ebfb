// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Names in Swift made of names in a document.
enum SwiftName {
    /// A type's name: `pet_owner` becomes `PetOwner`.
    static func type(_ name: String) -> String {
        let words = words(name)
        let joined = words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return reservedTypes.contains(joined) ? joined + "Value" : begun(joined, or: "Value")
    }

    /// The name of a method, a parameter, a property or a case, without backticks: `screen_name` becomes `screenName`,
    /// `URLPath` becomes `urlPath`.
    static func member(_ name: String) -> String {
        let words = words(name)
        guard let first = words.first else { return "value" }
        let capitals = first.prefix { $0.isUppercase }
        // Of a run of capitals, the last begins the next word.
        let lowered = capitals.count == first.count || capitals.count <= 1 ? capitals : capitals.dropLast()
        let start = lowered.lowercased() + first.dropFirst(lowered.count)
        let joined = start + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return unusable.contains(joined) ? joined + "Value" : begun(joined, or: "value")
    }

    /// The name as it stands in code: keywords in backticks.
    static func quoted(_ name: String) -> String { keywords.contains(name) ? "`\(name)`" : name }

    /// A name that is not taken yet: with a number behind it when need be.
    static func unique(_ name: String, among taken: inout Set<String>) -> String {
        var candidate = name
        var number = 2
        while !taken.insert(candidate).inserted {
            candidate = name + String(number)
            number += 1
        }
        return candidate
    }

    /// A string literal.
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

    /// Names which even backticks do not make ordinary.
    private static let unusable: Set<String> = ["self", "init", "hash", "hashValue", "encode", "description"]

    /// Names of types that the generated code uses, or that would mislead who reads it.
    private static let reservedTypes: Set<String> = [
        "Any", "AnyObject", "Array", "Bool", "Character", "Codable", "CodingKey", "CodingKeys", "Decodable", "Decoder",
        "DecodingError", "Dictionary", "Double", "Encodable", "Encoder", "Error", "Float", "Hashable", "Indirect",
        "Int", "JSONValue", "Never", "NotificationStream", "Optional", "Protocol", "Result", "Self", "Sendable", "Set",
        "String", "Task", "Type", "Void",
    ]
}
