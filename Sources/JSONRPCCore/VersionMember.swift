// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What happens to the `jsonrpc` member, which JSON-RPC 2.0 requires and some peers do without (Chrome's DevTools
/// protocol, JSON-RPC 1.0).
public struct VersionMember: Sendable, Hashable {
    /// The member in messages we send.
    public enum Outbound: Sendable, Hashable {
        /// Every message says `"jsonrpc":"2.0"`.
        case sent
        /// No message has the member.
        case omitted
    }

    /// The member in messages we receive.
    public enum Inbound: Sendable, Hashable {
        /// A message without it is irregular: ``Irregularity/missingVersion``.
        case required
        /// It may be absent. When it is there, it must still be "2.0": see ``Irregularity/wrongVersion``.
        case optional
    }

    public var outbound: Outbound
    public var inbound: Inbound

    public init(outbound: Outbound, inbound: Inbound) {
        self.outbound = outbound
        self.inbound = inbound
    }

    /// As JSON-RPC 2.0 says: sent, and expected.
    public static let required = VersionMember(outbound: .sent, inbound: .required)
    /// Sent, but not expected.
    public static let optional = VersionMember(outbound: .sent, inbound: .optional)
    /// Neither sent nor expected.
    public static let omitted = VersionMember(outbound: .omitted, inbound: .optional)
}
