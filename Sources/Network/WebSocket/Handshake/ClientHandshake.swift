// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPSyntax

/// The opening handshake of a client (RFC 6455 §4.1): the request, and the check of the answer.
struct ClientHandshake {
    let plan: DialPlan
    let requiresSubprotocol: Bool
    let offersDeflate: Bool
    private let key = HandshakeKey()
    private(set) var interimResponses = 0

    /// The maximum number of responses with a status of 1xx that are skipped (RFC 9110 §15.2).
    private static let maximumInterimResponses = 16

    var request: [UInt8] {
        var head = HTTPHead(
            startLine: "GET \(plan.target) HTTP/1.1",
            fields: [
                ("Host", plan.hostField), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                ("Sec-WebSocket-Key", key.text), ("Sec-WebSocket-Version", "13"),
            ])
        if !plan.subprotocols.isEmpty {
            head.fields.append(("Sec-WebSocket-Protocol", plan.subprotocols.joined(separator: ", ")))
        }
        if offersDeflate { head.fields.append(("Sec-WebSocket-Extensions", PermessageDeflate.offer)) }
        if let origin = plan.origin { head.fields.append(("Origin", origin)) }
        head.fields += plan.headerFields.map { ($0.name, $0.value) }
        return head.bytes
    }

    /// The subprotocol and the extension that both sides agreed on.
    struct Agreement: Equatable {
        var subprotocol: String?
        var deflate: PermessageDeflate?
    }

    enum Answer {
        /// Another response follows.
        case interim
        case agreed(Agreement)
        /// An HTTP status other than 101.
        case refused(WebSocketError.Response)
    }

    /// Reads the server's answer. Throws ``WebSocketError`` with the code `invalidHandshake` or `subprotocolMismatch`.
    mutating func answer(_ head: HTTPHead) throws(WebSocketError) -> Answer {
        let line = try Self.statusLine(head.startLine)
        if line.status == 101 { return .agreed(try agreement(head)) }
        guard line.isInterim else {
            return .refused(WebSocketError.Response(status: line.status, headers: head.fields, bodyStart: []))
        }
        interimResponses += 1
        guard interimResponses <= Self.maximumInterimResponses else {
            throw Self.invalid("The server sent more than \(Self.maximumInterimResponses) interim responses.")
        }
        return .interim
    }

    private static func statusLine(_ text: String) throws(WebSocketError) -> HTTPStatusLine {
        guard let line = HTTPStatusLine(Array(text.utf8)), line.minorVersion <= 1 else {
            throw invalid("The server's answer is not an HTTP response. Check that it is a WebSocket server.")
        }
        // HTTP/1.0 has no Upgrade (RFC 9110 §7.8).
        if line.status == 101, line.minorVersion == 0 {
            throw invalid("The server's answer is HTTP/1.0, not HTTP/1.1.")
        }
        return line
    }

    private func agreement(_ head: HTTPHead) throws(WebSocketError) -> Agreement {
        let upgrades = head.list("upgrade")
        guard !upgrades.isEmpty else { throw Self.invalid("The server's answer has no Upgrade field.") }
        guard upgrades.count == 1, upgrades[0].lowercased() == "websocket" else {
            throw Self.invalid("The server upgraded to another protocol.")
        }
        guard head.list("connection", has: "upgrade") else {
            throw Self.invalid("The Connection field of the server's answer does not contain Upgrade.")
        }
        let accepts = head.values(of: "sec-websocket-accept")
        guard let accept = accepts.first else {
            throw Self.invalid("The server's answer has no Sec-WebSocket-Accept field.")
        }
        guard accepts.count == 1, accept == key.accept else {
            throw Self.invalid("The server's Sec-WebSocket-Accept does not match the key of the request.")
        }
        let subprotocol = try Self.subprotocol(
            head.values(of: "sec-websocket-protocol"), offered: plan.subprotocols, isRequired: requiresSubprotocol)
        return Agreement(subprotocol: subprotocol, deflate: try deflate(head))
    }

    /// Checks the field `Sec-WebSocket-Protocol`. Returns the subprotocol, or `nil` if the server chose none.
    static func subprotocol(
        _ chosen: [String], offered: [String], isRequired: Bool
    ) throws(WebSocketError) -> String? {
        guard let name = chosen.first else {
            if isRequired, !offered.isEmpty {
                throw WebSocketError(
                    .subprotocolMismatch,
                    "The server chose none of the offered subprotocols, and requiresSubprotocol is set.")
            }
            return nil
        }
        guard chosen.count == 1, offered.contains(name) else {
            let offer = offered.isEmpty ? "none was offered" : "the offer was \(offered.joined(separator: ", "))"
            throw WebSocketError(
                .invalidHandshake,
                "The server chose the subprotocol \"\(String.printable(chosen.joined(separator: ", ")))\", but \(offer).",
                advice: "Add the subprotocol to WebSocketConfiguration.subprotocols if the program speaks it.")
        }
        return name
    }

    private func deflate(_ head: HTTPHead) throws(WebSocketError) -> PermessageDeflate? {
        let extensions = head.list("sec-websocket-extensions")
        guard !extensions.isEmpty else { return nil }
        guard offersDeflate, extensions.count == 1 else {
            throw Self.invalid("The server chose an extension that was not offered.")
        }
        guard let deflate = PermessageDeflate(answer: extensions[0]) else {
            throw Self.invalid("The server's parameters for permessage-deflate were not offered.")
        }
        return deflate
    }

    private static func invalid(_ message: String) -> WebSocketError { WebSocketError(.invalidHandshake, message) }
}
