// swift-jsonrpc · SPDX-License-Identifier: MIT

public import JSONRPCCore
import JSONRPCSession
public import WireJSON

/// Saying something. All of it goes out on the latest connection.
///
/// Every method throws a ``ScriptFailure`` when there is no connection that takes it.
extension ScriptedPeer {
    /// Answers a request with a result. Nothing keeps a script from answering twice.
    public func reply(to request: ReceivedCall, result: JSONValue) throws {
        try send(json: ["jsonrpc": "2.0", "id": request.id ?? .null, "result": result])
    }

    /// Answers a request with an error.
    public func reply(to request: ReceivedCall, error: ErrorObject) throws {
        var object: JSONValue = [
            "code": .number(JSONNumber(Int64(error.code.rawValue))), "message": .string(error.message),
        ]
        if let data = error.data { object["data"] = try JSONValue(data) }
        try send(json: ["jsonrpc": "2.0", "id": request.id ?? .null, "error": object])
    }

    /// Sends a notification.
    public func notify(_ method: String, params: JSONValue? = nil) throws {
        var message: JSONValue = ["jsonrpc": "2.0", "method": .string(method)]
        if let params { message["params"] = params }
        try send(json: message)
    }

    /// Sends a request; ``expectResponse(to:)`` takes its answer.
    public func request(_ method: String, params: JSONValue? = nil, id: JSONValue) throws {
        var message: JSONValue = ["jsonrpc": "2.0", "id": id, "method": .string(method)]
        if let params { message["params"] = params }
        try send(json: message)
    }

    /// Sends any JSON.
    public func send(json: JSONValue) throws { try send(String(decoding: json.bytes, as: UTF8.self)) }

    /// Sends a text message as it is, whether it is JSON or not.
    public func send(_ text: String) throws {
        try send(Array(text.utf8)) { inMemory in inMemory.send(text) }
    }

    /// Sends bytes as one message. Binary ones, and such as are to arrive in fragments, need a connection in memory.
    public func send(_ bytes: [UInt8], isBinary: Bool, inFragments: Bool = false) throws {
        guard let inMemory else {
            throw ScriptFailure(expected: "a connection in memory", came: "there is none")
        }
        try check(inMemory.send(bytes, isBinary: isBinary, inFragments: inFragments))
    }

    /// Closes the connection with a closing handshake, behind what was sent.
    public func close(code: UInt16 = 1000, reason: String = "") {
        transport?.close(code: code, reason: reason, deadline: patience)
    }

    /// Cuts the connection, behind what was sent and has arrived.
    public func drop(error: (any Error)? = nil) {
        if let inMemory {
            inMemory.dropConnection(error: error)
        } else {
            transport?.close(code: 1006, reason: "", deadline: .zero)
        }
    }

    private func send(_ bytes: [UInt8], _ inMemory: (InMemoryTransport) -> Bool) throws {
        if let transport = self.inMemory { return try check(inMemory(transport)) }
        guard let transport else {
            throw ScriptFailure(expected: "a connection", came: "there is none")
        }
        let outcome = bytes.withUnsafeBytes { bytes in
            withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: 1) { pieces in
                pieces.initializeElement(at: 0, to: bytes)
                return transport.enqueue(UnsafeBufferPointer(pieces))
            }
        }
        switch outcome {
        case .queued(_, let mustWake): if mustWake { transport.wake() }
        case .refused: try check(false)
        }
    }

    private func check(_ isAccepted: Bool) throws {
        if !isAccepted { throw ScriptFailure(expected: "an open connection", came: "it is closing or closed") }
    }
}
