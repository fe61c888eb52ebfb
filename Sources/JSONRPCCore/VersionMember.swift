// swift-jsonrpc · SPDX-License-Identifier: MIT

/// How the `jsonrpc` member is sent and checked. JSON-RPC 2.0 requires it; Chrome's DevTools protocol and JSON-RPC 1.0
/// do without.
///
/// The default is ``required``. What happens to a message with another version, such as `"jsonrpc":"1.0"`, is decided
/// by the ``Strictness``: the standard one reads the message as if it said "2.0" and reports
/// ``Irregularity/wrongVersion`` as an event; ``Strictness/strict`` fails the call.
public struct VersionMember: Sendable, Hashable {
    /// The member in messages that this side sends.
    public enum Outbound: Sendable, Hashable {
        /// Every message says `"jsonrpc":"2.0"`.
        case sent
        /// No message has the member.
        case omitted
    }

    /// The member in messages that this side receives.
    public enum Inbound: Sendable, Hashable {
        /// A message without it is irregular: ``Irregularity/missingVersion``. The standard ``Strictness`` uses the
        /// message and reports it.
        case required
        /// It may be absent. Another version than "2.0" is still irregular: ``Irregularity/wrongVersion``.
        case optional
    }

    public var outbound: Outbound
    public var inbound: Inbound

    public init(outbound: Outbound, inbound: Inbound) {
        self.outbound = outbound
        self.inbound = inbound
    }

    /// Sent and expected, as JSON-RPC 2.0 says. The default.
    public static let required = VersionMember(outbound: .sent, inbound: .required)
    /// Sent, but not expected.
    public static let optional = VersionMember(outbound: .sent, inbound: .optional)
    /// Neither sent nor expected.
    public static let omitted = VersionMember(outbound: .omitted, inbound: .optional)
}
