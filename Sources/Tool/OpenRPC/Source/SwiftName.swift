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

    static func literal(_ text: String) -> String {
        let escaped = text.unicodeScalars.map { scalar in
            scalar.isInvisible || scalar == "\"" || scalar == "\\" ? scalar.escaped(asASCII: true) : String(scalar)
        }
        return "\"\(escaped.joined())\""
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

/// The names that are in use in a scope.
struct TakenNames: ExpressibleByArrayLiteral {
    /// The names, each with the number at which the search for a free name like it begins.
    private var numbers: [String: Int] = [:]

    init(arrayLiteral names: String...) {
        for name in names { numbers[name] = 2 }
    }

    /// Returns a name that is not taken, with a number appended if necessary, and marks it as taken.
    mutating func add(_ name: String) -> String {
        guard var number = numbers[name] else {
            numbers[name] = 2
            return name
        }
        while numbers["\(name)\(number)"] != nil { number += 1 }
        numbers[name] = number + 1
        return add("\(name)\(number)")
    }

    /// Frees the name that ``add(_:)`` has returned for a name.
    mutating func remove(_ taken: String, addedFor name: String) {
        numbers[taken] = nil
        guard let number = Int(taken.dropFirst(name.count)), let next = numbers[name] else { return }
        numbers[name] = min(number, next)
    }
}
