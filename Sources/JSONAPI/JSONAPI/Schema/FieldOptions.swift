// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Options of a field.
public struct FieldOptions: OptionSet, Sendable, Hashable {
    /// The options as bits.
    public let rawValue: Int

    /// Creates options from bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The field is read and never sent.
    public static let excluded = FieldOptions(rawValue: 1)
    /// The field must be in a resource that has its whole fieldset. Without it, the resource is refused.
    public static let required = FieldOptions(rawValue: 2)
    /// The field is sent when the resource is created, and never in a change of it.
    public static let createOnly = FieldOptions(rawValue: 4)
}
