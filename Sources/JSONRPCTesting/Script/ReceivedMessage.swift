// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
public import WireJSON

/// A message that a ``ScriptedPeer`` got.
public struct ReceivedMessage: Sendable, Hashable {
    public var bytes: [UInt8]
    public var isBinary: Bool
    /// Which of the peer's connections it came on, counted from 1.
    public var connection: Int
    /// The message as JSON; nil when it is none.
    public let json: JSONValue?

    init(bytes: [UInt8], isBinary: Bool, connection: Int) {
        self.bytes = bytes
        self.isBinary = isBinary
        self.connection = connection
        json = try? JSONValue(parsing: bytes)
    }

    /// The message as text, also when it is binary.
    public var text: String { String(decoding: bytes, as: UTF8.self) }
}

/// A request or a notification that a ``ScriptedPeer`` got.
public struct ReceivedCall: Sendable, Hashable {
    public var method: String
    /// Nil for a notification.
    public var id: JSONValue?
    public var params: JSONValue?
    /// The whole message, extra members included.
    public var json: JSONValue
    /// Which of the peer's connections it came on, counted from 1.
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

/// An answer to one of a ``ScriptedPeer``'s own requests.
public struct ReceivedResponse: Sendable, Hashable {
    public var id: JSONValue
    /// What was answered.
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

/// What a ``ScriptedPeer`` throws when something else came than the script says.
public struct ScriptFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What the script says.
    public var expected: String
    /// What came in its place.
    public var came: String
    /// The line of a text script, counted from 1.
    public var line: Int?

    public init(expected: String, came: String, line: Int? = nil) {
        self.expected = expected
        self.came = came
        self.line = line
    }

    public var description: String {
        let place = line.map { "Line \($0) of the script: " } ?? ""
        return "\(place)expected \(expected), but \(came)."
    }
}
