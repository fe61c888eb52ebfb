// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Options for making values from the resources of a document.
public struct ResourceOptions: Sendable {
    /// The treatment of a field that does not fit its type.
    public enum UnreadableFields: Sendable, Hashable {
        /// The error of the field is thrown. This is the default.
        case refuse
        /// The field keeps the value of a new resource and counts as not sent, so it is never sent back. The error is in
        /// ``JSONAPIDocument/skippedFields``.
        case skip
    }

    /// The treatment of a field that does not fit its type. The default is `refuse`.
    public var unreadableFields = UnreadableFields.refuse

    /// Whether a reference to a resource that the document lacks has a value with the id alone. The default is `false`, and
    /// its value is `nil`.
    ///
    /// The fields of such a value are those of a new resource, and none is present.
    public var makesStubs = false

    /// The names of the fields that were requested, by type, if sparse fieldsets were (`fields[TYPE]`). The other required
    /// fields of the type can be missing. By default, there are none.
    public var fieldsets: [String: Set<String>] = [:]

    /// Types for ``AnyResource``. By default, there are none.
    public var registry = ResourceRegistry()

    /// Creates options with the defaults.
    public init() {}
}
