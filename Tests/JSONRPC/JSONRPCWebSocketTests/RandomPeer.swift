// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestSupport
import WireJSON

/// A server that answers calls of `echo` with their params, disturbed by a seed: out of order, twice, in arrays, in
/// fragments, wrongly, or never. In the end it may close the connection.
struct RandomPeer {
    /// The end of its connection.
    enum Ending: CaseIterable {
        /// When the client closes it.
        case closedByClient
        /// With a closing handshake, after some calls.
        case closes
        /// With a reset, after some calls.
        case resets
        /// In the middle of a message, after some calls.
        case breaksOff
    }

    private struct Call {
        var id: String
        var params: String
    }

    private var random: SeededGenerator
    private let ending: Ending
    private let lastCall: Int
    private var held: [Call] = []
    private var count = 0

    init(seed: UInt64, ending: Ending) {
        random = SeededGenerator(seed: seed)
        self.ending = ending
        lastCall = Int.random(in: 50..<400, using: &random)
    }

    /// Serves until the connection ends.
    mutating func serve(_ socket: RawSocket) throws {
        try socket.acceptUpgrade()
        while let frame = try socket.readFrame() {
            switch frame.opcode {
            case RawFrame.Opcode.close:
                try socket.send(RawFrame(RawFrame.Opcode.close, frame.payload))
                return
            case RawFrame.Opcode.text:
                if try !answer(frame, socket) { return }
            default: continue
            }
        }
    }

    /// Returns false at the end of the connection.
    private mutating func answer(_ frame: RawFrame, _ socket: RawSocket) throws -> Bool {
        let message = try JSONValue(parsing: frame.payload)
        // Answers to the server's own calls arrive, too.
        guard message["method"]?.stringValue == "echo", let id = message["id"] else { return true }
        held.append(Call(id: id.description, params: message["params"]?.description ?? "null"))
        count += 1
        if count >= lastCall, ending != .closedByClient {
            try end(socket)
            return false
        }
        try disturb(socket)
        // Some calls are held until others have arrived.
        guard held.count > 3 || chance(60) else { return true }
        held.shuffle(using: &random)
        if chance(20) {
            try send("[" + held.map(response).joined(separator: ",") + notification + "]", socket)
        } else {
            for call in held { try answer(call, socket) }
        }
        held = []
        return true
    }

    private mutating func answer(_ call: Call, _ socket: RawSocket) throws {
        switch Int.random(in: 0..<200, using: &random) {
        case 0: break  // Never.
        case 1...4: try send(#"{"jsonrpc":"2.0","id":\#(call.id),"error":{"code":7,"message":"no"}}"#, socket)
        case 5...8: try send(#"{"jsonrpc":"2.0","id":\#(call.id),"result":[1,"#, socket)
        case 9...12:
            try send(#"{"jsonrpc":"2.0","id":\#(call.id),"result":1,"error":{"code":7,"message":"x"}}"#, socket)
        case 13...20:
            try send(response(call), socket)
            try send(response(call), socket)
        default: try send(response(call), socket)
        }
    }

    /// Sends messages that concern no call and must affect none.
    private mutating func disturb(_ socket: RawSocket) throws {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: try send("nonsense", socket)
        case 1: try send("", socket)
        case 2: try send("[]", socket)
        case 3: try send(#"{"jsonrpc":"2.0","id":999999999,"result":1}"#, socket)
        case 4: try send(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"x"}}"#, socket)
        case 5: try send(#"{"jsonrpc":"2.0","id":"1","method":"add","params":[1,2]}"#, socket)
        case 6: try send(#"[{"jsonrpc":"2.0","id":1,"method":"add","params":[1,2]},1]"#, socket)
        case 7: try send(#"{"jsonrpc":"2.0","method":"tick","params":[1]}"#, socket)
        case 8: try socket.send(RawFrame(RawFrame.Opcode.ping, Array("p".utf8)))
        case 9: try socket.send(RawFrame(RawFrame.Opcode.pong))
        case 10: try socket.send(RawFrame(RawFrame.Opcode.binary, Array(#"{"jsonrpc":"2.0"}"#.utf8)))
        case 11: try send(#"{"jsonrpc":"2.0","id":5,"method":"unknown"}"#, socket)
        default: break
        }
    }

    private func end(_ socket: RawSocket) throws {
        switch ending {
        case .closedByClient: break
        case .closes:
            try socket.send(.close(1001, "enough"))
            _ = try? socket.readToEnd()
        case .resets: socket.reset()
        case .breaksOff: try socket.send(Array(RawFrame(RawFrame.Opcode.text, Array("{}".utf8)).bytes.dropLast()))
        }
    }

    private func response(_ call: Call) -> String {
        #"{"jsonrpc":"2.0","id":\#(call.id),"result":\#(call.params)}"#
    }

    private var notification: String { #",{"jsonrpc":"2.0","method":"tick","params":[2]}"# }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// Sends a message whole, in fragments, or byte by byte.
    private mutating func send(_ text: String, _ socket: RawSocket) throws {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty, chance(15) else {
            let frame = RawFrame(RawFrame.Opcode.text, bytes)
            if chance(3) { return try socket.sendOneByOne(frame.bytes) }
            return try socket.send(frame)
        }
        let cut = Int.random(in: 0...bytes.count, using: &random)
        try socket.send(RawFrame(RawFrame.Opcode.text, Array(bytes[..<cut]), isFinal: false))
        if chance(30) { try socket.send(RawFrame(RawFrame.Opcode.ping)) }
        try socket.send(RawFrame(RawFrame.Opcode.continuation, Array(bytes[cut...])))
    }
}
