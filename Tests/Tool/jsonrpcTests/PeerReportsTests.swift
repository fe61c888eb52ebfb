// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization
import TestSupport
import TestTurns
import Testing

@testable import jsonrpc

@Suite(.inTurn(within: .seconds(60))) struct PeerReportsTests {
    private final class Said: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func say(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private func error(_ message: String) -> ErrorObject { ErrorObject(code: .invalidRequest, message: message) }

    @Test func anErrorThatComesForEachPingIsReportedOnceWithTheOptionThatHelps() async {
        let said = Said()
        let reports = PeerReports(advice: nil, pingInterval: .seconds(20)) { said.say($0) }
        for number in 1...3 { await reports.report(error("ping?"), after: .seconds(20 * number)) }
        #expect(said.all.count == 1)
        #expect(said.all.first?.contains("ping?") == true)
        #expect(said.all.first?.hasSuffix("answers PINGs with errors, use --ping-interval none.") == true)
    }

    @Test(arguments: [nil, Duration.seconds(20)])
    func errorsThatCannotAnswerAPingAreAllReported(_ pingInterval: Duration?) async {
        let said = Said()
        let reports = PeerReports(advice: nil, pingInterval: pingInterval) { said.say($0) }
        for _ in 1...3 { await reports.report(error("no id"), after: .seconds(19)) }
        #expect(said.all.count == 3)
        #expect(said.all.allSatisfy { !$0.contains("--ping-interval") })
    }

    @Test func aPeerCannotFillTheOutputWithDifferentErrors() async {
        let said = Said()
        let reports = PeerReports(advice: nil, pingInterval: .seconds(20)) { said.say($0) }
        for number in 1...100 { await reports.report(error("\(number)"), after: .seconds(60)) }
        #expect(said.all.count == 16)
    }

    @Test func aPeerThatAnswersEachPingWithAnErrorIsReportedOnce() async throws {
        let peer = try RawPeer { socket in
            try socket.acceptUpgrade()
            var pings = 0
            while pings < 4, let frame = try socket.readFrame() {
                guard frame.opcode == RawFrame.Opcode.ping else { continue }
                pings += 1
                try socket.send(
                    ToolScripts.text(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error."}}"#))
            }
            try socket.send(ToolScripts.text(#"{"jsonrpc":"2.0","method":"done"}"#))
            _ = try? socket.answerClose()
        }
        let run = try await ToolRun.run(
            ["listen", peer.url, "--ping-interval", "20ms", "--ping-timeout", "30", "--count", "1"])
        #expect(run.status == 0)
        #expect(run.diagnostics.split(separator: "\n").count == 1)
        #expect(run.diagnostics.hasSuffix(" If the peer answers PINGs with errors, use --ping-interval none.\n"))
        _ = try await peer.outcome()
    }

    @Test(arguments: ["call", "batch", "connect"])
    func theTextOfAGatewayIsShownOnce(_ command: String) async throws {
        let gateway = #"{"message": "Limit exceeded", "connectionId": "x"}"#
        let peer = try ToolScripts.peer(sending: gateway, gateway, #"{"jsonrpc":"2.0","id":1,"result":1}"#)
        let arguments = command == "call" ? ["call", peer.url, "m"] : [command, peer.url]
        let run = try await ToolRun.run(arguments, input: command == "batch" ? #"{"method":"m"}"# : "m\n")
        #expect(run.status == 0)
        #expect(
            run.diagnostics
                == "jsonrpc: The peer sent a message that is not JSON-RPC. Use -v to print all messages. "
                + "The first: \(gateway)\n"
        )
        _ = try await peer.outcome()
    }
}
