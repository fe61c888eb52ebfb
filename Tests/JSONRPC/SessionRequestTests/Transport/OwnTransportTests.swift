// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import JSONRPCCore
import JSONRPCSession
import Synchronization
import TestSupport
import TestTurns
import Testing
import WireJSON

/// A program's own `ObjectTransport`, which must write requests and read responses by itself. It uses a line that
/// carries one message at a time, with answers in any order.
final class LineTransport: ObjectTransport {
    private let waiting = Mutex<[RequestID: CheckedContinuation<ResponseObject, any Error>]>([:])
    private let send: @Sendable ([UInt8]) -> Void

    init(send: @escaping @Sendable ([UInt8]) -> Void) { self.send = send }

    func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
        guard case .single(let request) = message else { return try await exchange(message.requests) }
        guard let id = request.id else {
            send(message.bytes())
            return []
        }
        let response = try await withCheckedThrowingContinuation { continuation in
            waiting.withLock { $0[id] = continuation }
            send(message.bytes())
        }
        return [response]
    }

    private func exchange(_ requests: [RequestObject]) async throws -> [ResponseObject] {
        var responses: [ResponseObject] = []
        for request in requests { responses += try await exchange(.single(request)) }
        return responses
    }

    func receive(_ line: [UInt8]) {
        guard let response = try? ResponseObject(parsing: line), let id = response.id else { return }
        waiting.withLock { $0.removeValue(forKey: id) }?.resume(returning: response)
    }
}

@Suite(.inTurn(within: .seconds(60)))
struct OwnTransportTests {
    @Test("JP: a transport of objects writes requests and reads responses by itself")
    func callsOverAnOwnTransport() async throws {
        let (lines, line) = AsyncStream.makeStream(of: [UInt8].self)
        let transport = LineTransport { line.yield($0) }
        let caller = TransportCaller(over: transport)
        let server = Task {
            var held: [JSONValue] = []
            for await line in lines {
                let request = try JSONValue(parsing: line)
                guard let id = request.id else { continue }
                held.append(["jsonrpc": "2.0", "id": id, "result": request.method ?? nil])
                // Two at a time, the later one first.
                guard held.count == 2 else { continue }
                for response in held.reversed() { transport.receive(response.bytes) }
                held = []
            }
        }
        async let first = caller.call("a", params: [1, "x"], as: String.self)
        async let second = caller.call("b", as: String.self)
        #expect(try await [first, second] == ["a", "b"])
        try await caller.notify("n")
        line.finish()
        try await server.value
    }

    /// The same source in a program, which sees only public symbols.
    @Test func itNeedsNothingButPublicSymbols() async throws {
        let source = try String(contentsOfFile: #filePath, encoding: .utf8)
        let start = try #require(source.range(of: "final class LineTransport"))
        let end = try #require(source.range(of: "\n\n@"))
        let program =
            "import JSONRPCCore\nimport JSONRPCSession\nimport Synchronization\nimport WireJSON\n"
            + source[start.lowerBound..<end.lowerBound] + """

                func f(_ reader: AnswerReader, _ bytes: [UInt8]) throws(ClientError) -> [RawJSON?] {
                    try AnswerReader(strictness: .strict, version: .optional).responses(in: bytes).map(\\.result)
                }
                func g(_ send: @escaping @Sendable ([UInt8]) -> Void) -> some JSONRPCCaller {
                    TransportCaller(over: LineTransport(send: send))
                }
                """
        #expect(try await compilerComplaints(about: ["Program.swift": program]) == [])
    }
}
