// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A type in generated code.
indirect enum SwiftType: Hashable, Sendable {
    case named(String)
    case optional(SwiftType)
    case array(SwiftType)
    /// A dictionary whose keys are strings.
    case dictionary(SwiftType)
    /// A value in a reference type, so that a type can contain itself.
    case boxed(SwiftType)

    static let json = SwiftType.named("JSONValue")

    var text: String {
        switch self {
        case .named(let name): name
        case .optional(let wrapped): wrapped.text + "?"
        case .array(let element): "[\(element.text)]"
        case .dictionary(let value): "[String: \(value.text)]"
        case .boxed(let value): "Indirect<\(value.text)>"
        }
    }

    var isOptional: Bool { if case .optional = self { true } else { false } }

    /// The optional type, or the type itself if it is already optional.
    var madeOptional: SwiftType { isOptional ? self : .optional(self) }

    /// The named type that a value contains without an array or a box between them; `nil` if there is none.
    var embedded: String? {
        switch self {
        case .named(let name): name
        case .optional(let wrapped): wrapped.embedded
        case .array, .dictionary, .boxed: nil
        }
    }

    var boxing: SwiftType {
        if case .optional(let wrapped) = self { return .optional(wrapped.boxing) }
        return .boxed(self)
    }

    /// The name of an enum case with such a value.
    var caseName: String {
        switch self {
        case .named(let name): SwiftName.member(name == "JSONValue" ? "json" : name)
        case .optional(let wrapped), .boxed(let wrapped): wrapped.caseName
        case .array(let element): element.caseName + "s"
        case .dictionary(let value): value.caseName + "ByName"
        }
    }
}
