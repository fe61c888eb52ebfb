// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// Options for reading a document.
public struct DocumentOptions: Sendable, Hashable {
    /// Whether numbers are read as strings where the specification demands strings: in `id` and `lid`. The default is
    /// `false`, and such a document is refused.
    public var readsNumbersAsIDs = false

    /// Whether documents are refused that violate a requirement of the specification although they can be read. The
    /// default is `false`. A ``DocumentLinter`` with its default options finds the violations. Recommendations do not
    /// count.
    public var refusesViolations = false

    /// The limits for the JSON text. By default, 512 arrays and objects may lie within each other.
    public var limits = JSONLimits()

    /// Creates options with the defaults.
    public init() {}
}
