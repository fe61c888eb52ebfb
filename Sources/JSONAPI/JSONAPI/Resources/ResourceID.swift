// swift-jsonrpc · SPDX-License-Identifier: MIT

import FoundationEssentials

/// The id of a resource of the type `R`. Ids are compared by their UTF-8 bytes.
public struct ResourceID<R: Resource>: Sendable, Hashable {
    /// The id as it is in documents.
    public let rawValue: String

    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Returns whether two ids have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.utf8.elementsEqual(right.rawValue.utf8) }
}

extension ResourceID: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }
}

/// A local id, which identifies a new resource within one document (JSON:API 1.1, "Identification").
public struct LocalID: Sendable, Hashable {
    /// The local id as it is in documents.
    public let rawValue: String

    public init(_ rawValue: String) { self.rawValue = rawValue }

    /// Returns a local id that is unique: a random UUID (RFC 9562) in lower case.
    public static func unique() -> LocalID { LocalID(UUID().uuidString.lowercased()) }

    /// Returns whether two local ids have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.rawValue.utf8.elementsEqual(right.rawValue.utf8) }
}

extension LocalID: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) { rawValue = value }

    public var description: String { rawValue }
}
