// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A message that departs from JSON-RPC, or from what was expected.
public struct IrregularMessage: Sendable, Hashable {
    /// What is wrong with it. Several things may be.
    public var irregularities: IrregularitySet
    /// The message as it came.
    public var bytes: [UInt8]
    public var isBinary: Bool
    /// The id in it, as far as one could be read.
    public var requestID: RequestID?
    /// Where it is no JSON.
    public var syntaxError: JSONSyntaxError?
    /// The error object in it, when it answers no call that is known.
    public var error: ErrorObject?

    /// The bytes as text; invalid UTF-8 is replaced.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The value of the `jsonrpc` member as it was found, such as the JSON string `"1.0"`; `nil` if there is none, or the
    /// message is not JSON. Of an array's members, the first that says something else than "2.0" counts.
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

extension IrregularMessage: CustomStringConvertible {
    /// What is wrong, and the beginning of the text.
    public var description: String {
        let beginning = String(decoding: bytes.prefix(200), as: UTF8.self).escapingControls
        var fault = syntaxError.map { ", \($0)" } ?? ""
        if irregularities.contains(.wrongVersion), let version {
            fault += " but \(String(version.text.prefix(40)).escapingControls)"
        }
        return "\(irregularities)\(fault): \(beginning)\(bytes.count > 200 ? "…" : "")"
    }
}
