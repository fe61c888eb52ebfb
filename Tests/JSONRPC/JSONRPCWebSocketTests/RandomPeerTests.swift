// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// Whatever a peer does, each call ends once, with its own answer or a suitable error.
@Suite("Random peers", .inTurn(within: .seconds(120)))
struct RandomPeerTests {
    @Test(arguments: RandomPeer.Ending.allCases, 1...3)
    func eachCallEndsOnceAndRightly(_ ending: RandomPeer.Ending, _ seed: UInt64) async throws {
        let peer = try RawPeer { socket in
            var peer = RandomPeer(seed: seed, ending: ending)
            // The connection may end while something is sent. This is one of its endings.
            try? peer.serve(socket)
        }
        var configuration = SessionConfiguration()
        configuration.calls.timeout = .seconds(1)
        let session = DuplexSession(configuration: configuration)
        session.handle("add") { (terms: [Int]) in terms.reduce(0, +) }
        let ticks = session.notifications("tick", as: [Int].self)
        try await WebSocketConnector.patient(to: peer.url).connect(receiver: session.receiver)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<40 { await Self.call(session, 1000 * task + number, cancels: number % 13 == 12) }
                }
            }
        }
        await session.close()
        let counts = session.callCounts
        #expect(counts.issued == counts.settled)
        #expect(session.callsInFlight == 0)
        // The stream ends with the session, with or without an error.
        do { for try await _ in ticks {} } catch { #expect(error is ClientError) }
        _ = try await peer.outcome()
    }

    private static func call(_ session: DuplexSession, _ number: Int, cancels: Bool) async {
        let call = Task { try await session.call("echo", params: [number], as: [Int].self) }
        if cancels { call.cancel() }
        do {
            #expect(try await call.value == [number])
        } catch let error as ErrorObject {
            // The peer's own answer, or its error without an id, which arrived while this call was the only one.
            #expect(error.code.rawValue == 7 || error == ErrorObject(code: .parseError, message: "x"), "\(error)")
        } catch let error as ClientError {
            let allowed: [ClientError.Code] = [.timedOut, .connectionLost, .protocolViolation, .notConnected, .closed]
            #expect(allowed.contains(error.code), "\(error)")
            #expect(error.delivery != nil)
        } catch {
            #expect(error is CancellationError && cancels, "\(error)")
        }
    }
}
