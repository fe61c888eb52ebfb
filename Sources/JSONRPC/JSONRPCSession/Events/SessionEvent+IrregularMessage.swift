// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

extension SessionEvent {
    /// A message from the peer that violates JSON-RPC or the expectations of the session.
    public struct IrregularMessage: Sendable, Hashable {
        /// The irregularities of the message; at least one.
        public var irregularities: IrregularitySet
        /// The bytes of the message.
        public var bytes: [UInt8]
        /// Whether the message is binary.
        public var isBinary: Bool
        /// The id in the message; `nil` if it has none that can be read.
        public var requestID: RequestID?
        /// The reason and the place, if the message is not JSON.
        public var syntaxError: JSONSyntaxError?
        /// The error object in the message, if it answers no known call.
        public var error: ErrorObject?

        /// The bytes as text; invalid UTF-8 is replaced.
        public var text: String { String(decoding: bytes, as: UTF8.self) }

        /// The value of the `jsonrpc` member, such as the JSON string `"1.0"`; `nil` if there is none, or the message is
        /// not JSON. In an array, the first value other than "2.0" wins.
        public var version: RawJSON? {
            guard let json = try? RawJSON(validating: bytes) else { return nil }
            guard let members = try? json.elements() else { return Self.version(of: json) }
            let versions = members.compactMap(Self.version)
            return versions.first { $0.text != #""2.0""# } ?? versions.first
        }

        private static func version(of message: RawJSON) -> RawJSON? {
            (try? message.members())?.last { $0.name == "jsonrpc" }?.value
        }
    }
}

extension SessionEvent.IrregularMessage: CustomStringConvertible {
    /// The irregularities, and the first 200 bytes of the message.
    public var description: String {
        let beginning = String(decoding: bytes.prefix(200), as: UTF8.self).escapingControls
        var fault = syntaxError.map { ", \($0)" } ?? ""
        if irregularities.contains(.wrongVersion), let version {
            fault += " but \(String(version.text.prefix(40)).escapingControls)"
        }
        return "\(irregularities)\(fault): \(beginning)\(bytes.count > 200 ? "…" : "")"
    }
}
