// swift-jsonrpc · SPDX-License-Identifier: MIT

import LWSWebSocket
import TestSupport
import TestTurns
import Testing
import WebSocket

/// The rows about lengths, in the article "The two engines". libwebsockets truncates longer texts without an error.
@Suite(.inTurn(within: .seconds(120)))
struct EngineLengthTests {
    private let differences = EngineDifferenceTests()

    @Test(arguments: WebSocketEngine.both)
    func longRequestsAreAnErrorOfOneEngine(engine: WebSocketEngine) async throws {
        let long = String(repeating: "a", count: 3000)
        let (error, head) = try await differences.dial(engine, path: "/" + long)
        #expect(error?.code == (differences.isOwn(engine) ? nil : .invalidConfiguration))
        #expect(!differences.isOwn(engine) || head.hasPrefix("GET /\(long) HTTP/1.1\r\n"))

        let names = (0..<200).map { "protocol-\($0)-of-many" }
        let (refused, offer) = try await differences.dial(engine) { $0.subprotocols = names }
        #expect(refused?.code == (differences.isOwn(engine) ? nil : .invalidConfiguration))
        #expect(
            !differences.isOwn(engine)
                || RawSocket.field("Sec-WebSocket-Protocol", in: offer)?.hasSuffix(names[199]) == true)

        // Both engines send long fields, and one of them up to 48 KiB.
        for (count, isSent) in [(6000, true), (50_000, differences.isOwn(engine))] {
            let value = String(repeating: "b", count: count)
            let (error, fields) = try await differences.dial(engine) { $0.headers = [("X-Long", value)] }
            #expect(error?.code == (isSent ? nil : .invalidConfiguration))
            #expect(fields.contains("X-Long: \(value)\r\n") == isSent)
        }
    }

    /// The proxy refuses, so no name is resolved.
    @Test(arguments: WebSocketEngine.both)
    func longHostsAndCredentialsAreAnErrorOfOneEngine(engine: WebSocketEngine) async throws {
        let label = String(repeating: "a", count: 50)
        let password = String(repeating: "p", count: 90)
        for (host, user) in [
            // Above the 117 bytes of a Host field, above the 80 bytes behind a proxy, and the credentials.
            ("\(label).\(label).\(label).example", ""), ("\(label).\(label).example", ""),
            ("server.example", "u:\(password)@"),
        ] {
            let proxy = try ProxyServer(.answer(["HTTP/1.1 403 No\r\n\r\n"]))
            var configuration = differences.patient(engine)
            configuration.proxy = .http("http://\(user)127.0.0.1:\(proxy.port)")
            let loops = WebSocketEventLoops()
            let options = configuration
            let error = await #expect(throws: WebSocketError.self) {
                try await connect(to: "ws://\(host)/", configuration: options, handler: RecordingHandler(), on: loops)
            }
            #expect(error?.code == (differences.isOwn(engine) ? .proxyFailed : .invalidConfiguration))
            #expect(
                proxy.requests.map { $0.hasPrefix("CONNECT \(host):80 ") } == (differences.isOwn(engine) ? [true] : []))
            await loops.shutDown()
            proxy.stop()
        }
    }

    @Test(arguments: WebSocketEngine.both)
    func longSubprotocolsAreAnErrorOfOneEngine(engine: WebSocketEngine) async throws {
        var listening = WebSocketListener.Configuration()
        listening.connection = differences.patient(engine)
        listening.subprotocols = [String(repeating: "p", count: 64)]
        #expect(
            await differences.listenError(listening)?.code == (differences.isOwn(engine) ? nil : .invalidConfiguration))
    }

    @Test(arguments: WebSocketEngine.both)
    func longOffersOfSubprotocolsAreRefusedByOneEngine(engine: WebSocketEngine) async throws {
        var listening = WebSocketListener.Configuration()
        listening.connection = differences.patient(engine)
        listening.subprotocols = ["last"]
        let loops = WebSocketEventLoops()
        let listener = try await WebSocketListener.listen(configuration: listening, on: loops) { _ in
            .accept(RecordingHandler())
        }
        let port = listener.port
        let names = (0..<20).map { "offered-\($0)" } + ["last"]
        let head = try await BlockingThread.value { () -> String? in
            try? RawSocket(connectingTo: port)
                .requestUpgrade(adding: ["Sec-WebSocket-Protocol: \(names.joined(separator: ", "))"])
        }
        #expect(
            head.flatMap { RawSocket.field("Sec-WebSocket-Protocol", in: $0) }
                == (differences.isOwn(engine) ? "last" : nil))
        #expect(head?.hasPrefix("HTTP/1.1 101 ") == (differences.isOwn(engine) ? true : nil))
        await loops.shutDown()
    }
}
