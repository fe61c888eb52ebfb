// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A type as generated code names it.
indirect enum SwiftType: Hashable, Sendable {
    case named(String)
    case optional(SwiftType)
    case array(SwiftType)
    /// A dictionary whose keys are strings.
    case dictionary(SwiftType)
    /// A value behind a reference, so that a type may hold itself.
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

    /// The type with nil among its values.
    var madeOptional: SwiftType { isOptional ? self : .optional(self) }

    /// The named type that lies in a value of this one without an array or a box between; nil when there is none.
    var embedded: String? {
        switch self {
        case .named(let name): name
        case .optional(let wrapped): wrapped.embedded
        case .array, .dictionary, .boxed: nil
        }
    }

    /// The same with a box around what is embedded.
    var boxing: SwiftType {
        if case .optional(let wrapped) = self { return .optional(wrapped.boxing) }
        return .boxed(self)
    }

    /// What to call a case that holds such a value.
    var caseName: String {
        switch self {
        case .named(let name): SwiftName.member(name == "JSONValue" ? "json" : name)
        case .optional(let wrapped), .boxed(let wrapped): wrapped.caseName
        case .array(let element): element.caseName + "s"
        case .dictionary(let value): value.caseName + "ByName"
        }
    }
}
