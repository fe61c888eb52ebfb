// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The rules for sending and checking the `jsonrpc` member. JSON-RPC 2.0 requires the member; the Chrome DevTools
/// Protocol and JSON-RPC 1.0 do not have it.
///
/// The default is ``required``. ``Strictness`` decides about messages with another version, such as `"jsonrpc":"1.0"`:
/// ``Strictness/standard`` uses the message and reports ``Irregularity/wrongVersion`` as an event,
/// ``Strictness/strict`` fails the call.
public struct VersionMember: Sendable, Hashable {
    /// The member in messages that this side sends.
    public enum Outbound: Sendable, Hashable {
        /// Every message contains `"jsonrpc":"2.0"`.
        case sent
        /// No message contains the member.
        case omitted
    }

    /// The member in messages that this side receives.
    public enum Inbound: Sendable, Hashable {
        /// A message without the member is irregular: ``Irregularity/missingVersion``. ``Strictness/standard`` uses and
        /// reports the message.
        case required
        /// The member may be absent. A version other than "2.0" is still irregular: ``Irregularity/wrongVersion``.
        case optional
    }

    /// The rule for messages that this side sends.
    public var outbound: Outbound
    /// The rule for messages that this side receives.
    public var inbound: Inbound

    /// Makes a pair of rules.
    public init(outbound: Outbound, inbound: Inbound) {
        self.outbound = outbound
        self.inbound = inbound
    }

    /// The default: the member is sent and required, as in JSON-RPC 2.0.
    public static let required = VersionMember(outbound: .sent, inbound: .required)
    /// The member is sent and not required.
    public static let optional = VersionMember(outbound: .sent, inbound: .optional)
    /// The member is neither sent nor required.
    public static let omitted = VersionMember(outbound: .omitted, inbound: .optional)
}
