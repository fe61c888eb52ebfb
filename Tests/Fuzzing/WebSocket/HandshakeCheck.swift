// swift-jsonrpc · SPDX-License-Identifier: MIT

@testable import Sockets
@testable import WebSocket

private enum HeadOutcome: Equatable {
    case incomplete
    case malformed(String)
    case complete(line: String, names: [String], values: [String], consumed: Int)
}

/// The invariants of the opening handshakes, for any input of the peer. The value `ACCEPT` means the correct
/// Sec-WebSocket-Accept, which the fuzzer could not guess.
func checkHandshake(isServer: Bool, _ bytes: [UInt8], _ pieces: Pieces) {
    let start = isServer ? "" : "HTTP/1."
    let (head, whole) = read([bytes], start)
    precondition(read(Pieces.cut(bytes, pieces), start).outcome == whole, "the head depends on the pieces")
    precondition(read(bytes.map { [$0] }, start).outcome == whole, "the head depends on the pieces")
    guard let head else { return }
    if isServer { checkServer(head) } else { checkClient(head) }
}

private func read(_ pieces: [[UInt8]], _ start: String) -> (head: HTTPHead?, outcome: HeadOutcome) {
    var reader = HTTPHeadReader(start: Array(start.utf8))
    var before = 0
    for piece in pieces {
        do throws(SocketFault) {
            let step = try piece.withUnsafeBytes { bytes in
                Result { () throws(SocketFault) in try reader.take(bytes) }
            }.get()
            if let (head, consumed) = step {
                precondition(consumed <= piece.count && before + consumed <= HTTPHeadReader.maximumBytes)
                let outcome = HeadOutcome.complete(
                    line: head.startLine, names: head.fields.map(\.name), values: head.fields.map(\.value),
                    consumed: before + consumed)
                return (head, outcome)
            }
        } catch {
            return (nil, .malformed(error.reason))
        }
        before += piece.count
    }
    precondition(before <= HTTPHeadReader.maximumBytes, "a head is waited for beyond its limit")
    return (nil, .incomplete)
}

private let subprotocols = ["a", "chat.2"]

private func checkServer(_ head: HTTPHead) {
    var configuration = WebSocketListener.Configuration()
    configuration.subprotocols = subprotocols
    configuration.allowedOrigins = .only(["https://app.example"])
    configuration.connection.compression = true
    let handshake = ServerHandshake(configuration: configuration, address: .loopback)
    do throws(WebSocketListener.UpgradeRefusal) {
        let upgrade = try handshake.upgrade(head)
        precondition(upgrade.subprotocol.map(subprotocols.contains) ?? true, "a subprotocol that nobody knows")
        precondition(upgrade.target.hasPrefix("/"), "a target without a path")
        let answer = answered(ServerHandshake.answer(to: upgrade))
        precondition(answer.startLine.hasPrefix("HTTP/1.1 101 "), "an upgrade is not answered 101")
        precondition(answer.values(of: "sec-websocket-accept") == [upgrade.key.accept], "the answer's accept is wrong")
        precondition(answer.values(of: "sec-websocket-extensions").count == (upgrade.deflate == nil ? 0 : 1))
    } catch {
        let answer = answered(ServerHandshake.answer(error))
        precondition(answer.startLine.hasPrefix("HTTP/1.1 \(error.status) "), "a refusal is not answered")
    }
}

/// The head of the answer, which must be well-formed.
private func answered(_ bytes: [UInt8]) -> HTTPHead {
    guard let head = read([bytes], "HTTP/1.1 ").head else { preconditionFailure("the answer is malformed") }
    return head
}

private func checkClient(_ head: HTTPHead) {
    guard let url = try? WebSocketURL("ws://127.0.0.1:1/"),
        let plan = try? DialPlan(
            url: url, headerFields: [], origin: nil, subprotocols: subprotocols, proxy: .none, tls: TLSConfiguration())
    else { preconditionFailure("no plan") }
    for offersDeflate in [false, true] {
        var handshake = ClientHandshake(plan: plan, requiresSubprotocol: false, offersDeflate: offersDeflate)
        guard let request = read([handshake.request], "GET ").head,
            let key = request.values(of: "sec-websocket-key").first.flatMap(HandshakeKey.init)
        else { preconditionFailure("the request is malformed") }
        var head = head
        for index in head.fields.indices where head.fields[index].value == "ACCEPT" {
            head.fields[index].value = key.accept
        }
        guard case .agreed(let agreement)? = try? handshake.answer(head) else { continue }
        precondition(agreement.deflate == nil || offersDeflate, "compression that was not offered")
        precondition(agreement.subprotocol.map(subprotocols.contains) ?? true, "a subprotocol that was not offered")
        precondition(head.values(of: "sec-websocket-accept") == [key.accept], "a wrong key was accepted")
        precondition(head.list("sec-websocket-extensions").count == (agreement.deflate == nil ? 0 : 1))
    }
}
