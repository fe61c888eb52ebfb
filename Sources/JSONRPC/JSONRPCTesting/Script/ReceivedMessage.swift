// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A message that a ``ScriptedPeer`` received.
public struct ReceivedMessage: Sendable, Hashable, CustomStringConvertible {
    /// The bytes, unmasked.
    public var bytes: [UInt8]
    /// Whether it is a binary message. Otherwise it is a text message.
    public var isBinary: Bool
    /// The number of the peer's connection on which it arrived, counted from 1.
    public var connection: Int
    /// The message as JSON; `nil` if it is not JSON.
    public let json: JSONValue?

    init(bytes: [UInt8], isBinary: Bool, connection: Int) {
        self.bytes = bytes
        self.isBinary = isBinary
        self.connection = connection
        json = try? JSONValue(parsing: bytes)
    }

    /// The bytes as text, also for a binary message. Bytes that are not UTF-8 become U+FFFD.
    public var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The beginning of the text.
    public var description: String { text.excerpt(ScriptFailure.maximumCharacters) }
}

/// A request or a notification that a ``ScriptedPeer`` received.
public struct ReceivedCall: Sendable, Hashable {
    /// The method.
    public var method: String
    /// The id of a request; `nil` for a notification.
    public var id: JSONValue?
    /// The params; `nil` if the message has none.
    public var params: JSONValue?
    /// The whole message, including extra members.
    public var json: JSONValue
    /// The number of the peer's connection on which it arrived, counted from 1.
    public var connection: Int

    package init?(_ json: JSONValue, connection: Int) {
        guard let method = json["method"]?.stringValue else { return nil }
        self.method = method
        self.json = json
        self.connection = connection
        id = json["id"]
        params = json["params"]
    }
}

/// A response to a request of a ``ScriptedPeer``.
public struct ReceivedResponse: Sendable, Hashable {
    /// The id of the request.
    public var id: JSONValue
    /// The result, or the error.
    public var outcome: Result<JSONValue, ErrorObject>
    /// The whole message.
    public var json: JSONValue

    init?(_ json: JSONValue) {
        guard let id = json["id"], json["method"] == nil else { return nil }
        self.id = id
        self.json = json
        if let result = json["result"] {
            outcome = .success(result)
        } else if let error = json["error"], let object = try? RawJSON(error).decode(as: ErrorObject.self) {
            outcome = .failure(object)
        } else {
            return nil
        }
    }
}

/// An array of messages that a ``ScriptedPeer`` received (JSON-RPC 2.0 §6). It is a collection of the array's members.
public struct ReceivedBatch: Sendable, Hashable, RandomAccessCollection {
    /// The members as JSON, in order.
    public let members: [JSONValue]
    /// The number of the peer's connection on which it arrived, counted from 1.
    public let connection: Int

    init?(_ message: ReceivedMessage) {
        guard let members = message.json?.arrayValue else { return nil }
        self.members = members
        connection = message.connection
    }

    /// The requests and notifications among the members, in order.
    public var calls: [ReceivedCall] { members.compactMap { ReceivedCall($0, connection: connection) } }

    /// The requests among the members, in order. They expect responses; notifications do not.
    public var requests: [ReceivedCall] { calls.filter { $0.id != nil } }

    public var startIndex: Int { members.startIndex }
    public var endIndex: Int { members.endIndex }
    public subscript(index: Int) -> JSONValue { members[index] }
}
