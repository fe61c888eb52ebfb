// swift-jsonrpc · SPDX-License-Identifier: MIT

#if AsyncHTTPClient
    import AsyncHTTPClientTransport
    import Dispatch
    import HTTPTypes
    import JSONRPCHTTP
    import SessionTestSupport
    import TestSupport
    import TestTurns
    import Testing
    import WireJSON

    /// A server that sends the last response of a batch only after the client has used the first.
    @Suite("A slow server of batches", .inTurn(within: .seconds(60)))
    struct SlowServerTests {
        /// The framing of the answer's body.
        enum Framing: CaseIterable {
            case chunks, length, endOfConnection
        }

        @Test(arguments: Framing.allCases)
        func theFirstResultIsThereBeforeTheLastIsSent(framing: Framing) async throws {
            let isFirstThere = DispatchSemaphore(value: 0)
            let server = try RawHTTPServer { connection in
                guard let head = try connection.readHead() else { return }
                let calls = try JSONValue(parsing: try connection.readBody(of: head)).arrayValue ?? []
                let responses = calls.map {
                    FakeServer.Reply.response($0["id"] ?? .null, #""result":\#(FakeServer.difference($0))"#)
                }
                let text = "[\(responses.joined(separator: ","))]"
                let first = "[\(responses.first ?? ""),"
                let rest = String(text.dropFirst(first.count))
                let fields = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                func chunk(_ text: String) -> String {
                    framing == .chunks ? "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n" : text
                }
                let framed =
                    switch framing {
                    case .chunks: "Transfer-Encoding: chunked\r\n\r\n"
                    case .length: "Content-Length: \(text.utf8.count)\r\n\r\n"
                    case .endOfConnection: "Connection: close\r\n\r\n"
                    }
                try connection.socket.send(fields + framed + chunk(first))
                // A client that waits for the end of the body never gets here.
                guard isFirstThere.wait(timeout: .now() + 50) == .success else { return }
                try connection.socket.send(chunk(rest) + (framing == .chunks ? "0\r\n\r\n" : ""))
            }
            let transport = AsyncHTTPClientTransport()
            let rpc = JSONRPCHTTPClient(url: "http://\(server.authority)/rpc", over: transport)
            var indices: [Int] = []
            for await (index, result) in try rpc.outcomesAsTheyCome((0..<5).map { Subtract($0) }) {
                #expect(result == .success(index))
                indices.append(index)
                if indices.count == 1 { isFirstThere.signal() }
            }
            #expect(indices == [0, 1, 2, 3, 4])
            await transport.shutDown()
        }
    }
#endif
