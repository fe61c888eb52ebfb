// swift-jsonrpc · SPDX-License-Identifier: MIT

import GRPCCore
import GRPCNIOTransportHTTP2Posix
import Synchronization

/// Messages are bytes, so that no code is generated and nothing is parsed.
struct RawBytes: MessageSerializer, MessageDeserializer {
    func serialize<Bytes: GRPCContiguousBytes>(_ message: [UInt8]) throws -> Bytes { Bytes(message) }

    func deserialize<Bytes: GRPCContiguousBytes>(_ bytes: Bytes) throws -> [UInt8] {
        bytes.withUnsafeBytes { Array($0) }
    }
}

enum Methods {
    static let service = ServiceDescriptor(package: "benchmark", service: "Probe")
    static let echo = MethodDescriptor(service: service, method: "Echo", type: .unary)
    static let echoStream = MethodDescriptor(service: service, method: "EchoStream", type: .bidirectionalStreaming)
    static let stream = MethodDescriptor(service: service, method: "Stream", type: .serverStreaming)
}

/// The number of messages in one write of a stream in bulk.
private let bulk = 64

/// The server made with grpc-swift-2.
struct GRPCProbeServer: RegistrableRPCService {
    static func run(_ options: Options) async throws {
        let transport = HTTP2ServerTransport.Posix(
            address: .ipv4(host: "127.0.0.1", port: 0), transportSecurity: .plaintext,
            config: .defaults { config in
                if options.contains("--no-coalescing") { config.connection.flushCoalescing = nil }
                if let window = options.number("window") { config.http2.targetWindowSize = window }
                if let frame = options.number("frame") { config.http2.maxFrameSize = frame }
            })
        let server = GRPCServer(transport: transport, services: [GRPCProbeServer()])
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.serve() }
            guard let address = try await transport.listeningAddress.ipv4 else {
                throw ProbeFailure("The server has no address.")
            }
            try await keepServing(address.port, server)
        }
    }

    func registerMethods<Transport: ServerTransport>(with router: inout RPCRouter<Transport>) {
        router.registerHandler(
            forMethod: Methods.echo, deserializer: RawBytes(), serializer: RawBytes()
        ) { request, _ in
            let request = try await ServerRequest(stream: request)
            return StreamingServerResponse(single: ServerResponse(message: request.message))
        }
        router.registerHandler(
            forMethod: Methods.echoStream, deserializer: RawBytes(), serializer: RawBytes()
        ) { request, _ in
            StreamingServerResponse { writer in
                try await writer.write(contentsOf: request.messages)
                return [:]
            }
        }
        router.registerHandler(
            forMethod: Methods.stream, deserializer: RawBytes(), serializer: RawBytes()
        ) { request, _ in
            // The number of messages, and that of messages in one write.
            let numbers = try await ServerRequest(stream: request).message.split(separator: UInt8(ascii: " "))
                .compactMap { Int(String(decoding: $0, as: UTF8.self)) }
            guard numbers.count == 2 else {
                throw RPCError(code: .invalidArgument, message: "Two numbers are expected.")
            }
            return StreamingServerResponse { writer in
                let message = Array(Payload.small.utf8)
                var left = numbers[0]
                while left > 0 {
                    let portion = min(left, numbers[1])
                    if portion == 1 {
                        try await writer.write(message)
                    } else {
                        try await writer.write(contentsOf: repeatElement(message, count: portion))
                    }
                    left -= portion
                }
                return [:]
            }
        }
    }
}

/// The client made with grpc-swift-2.
struct GRPCProbe: Sendable {
    private let client: GRPCClient<HTTP2ClientTransport.Posix>

    static func run(_ mode: String, _ load: Load, _ options: Options) async throws -> String {
        let transport = try HTTP2ClientTransport.Posix(
            target: .ipv4(address: "127.0.0.1", port: options.number("port") ?? 0), transportSecurity: .plaintext,
            config: .defaults { config in
                if options.contains("--no-coalescing") { config.connection.flushCoalescing = nil }
                if let window = options.number("window") { config.http2.targetWindowSize = window }
                if let frame = options.number("frame") { config.http2.maxFrameSize = frame }
            })
        let probe = GRPCProbe(client: GRPCClient(transport: transport))
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await probe.client.runConnections() }
            let message = Array(Payload.of(mode).utf8)
            let line = try await load.measure { load in
                switch mode {
                case "calls", "large": try await probe.calls(load, message)
                case "bidirectional", "large-bidirectional": try await probe.oneStream(load, message, isBulk: false)
                case "bidirectional-bulk", "large-bidirectional-bulk":
                    try await probe.oneStream(load, message, isBulk: true)
                case "stream": try await probe.stream(load, portion: 1)
                case "stream-bulk": try await probe.stream(load, portion: bulk)
                default: throw ProbeFailure("\(mode) is no mode: see main.swift.")
                }
            }
            probe.client.beginGracefulShutdown()
            try await group.waitForAll()
            return line
        }
    }

    private func calls(_ load: Load, _ message: [UInt8]) async throws -> [Duration] {
        try await load.calls {
            let result = try await client.unary(
                request: ClientRequest(message: message), descriptor: Methods.echo, serializer: RawBytes(),
                deserializer: RawBytes(), options: .defaults
            ) { try $0.message }
            guard result == message else { throw ProbeFailure("A call was answered wrongly.") }
        }
    }

    /// Makes the calls as messages of one stream, with as many in flight as there are to be. In bulk, half of them are
    /// written at once when half of the answers have come.
    private func oneStream(_ load: Load, _ message: [UInt8], isBulk: Bool) async throws -> [Duration] {
        let (permits, permit) = AsyncStream.makeStream(of: Int.self)
        let sent = Mutex<[ContinuousClock.Instant]>([])
        let portion = isBulk ? max(load.width / 2, 1) : 1
        let clock = ContinuousClock()
        let request = StreamingClientRequest<[UInt8]> { writer in
            var left = load.count
            for await number in permits {
                let number = min(number, left)
                sent.withLock { $0.append(contentsOf: repeatElement(clock.now, count: number)) }
                if number == 1 {
                    try await writer.write(message)
                } else {
                    try await writer.write(contentsOf: repeatElement(message, count: number))
                }
                left -= number
                if left == 0 { return }
            }
        }
        for _ in 0..<max(load.width / portion, 1) { permit.yield(portion) }
        return try await client.bidirectionalStreaming(
            request: request, descriptor: Methods.echoStream, serializer: RawBytes(), deserializer: RawBytes(),
            options: .defaults
        ) { response in
            var latencies: [Duration] = []
            latencies.reserveCapacity(load.count)
            for try await answer in response.messages {
                guard answer == message else { throw ProbeFailure("A message was answered wrongly.") }
                // Answers come in the order of the messages.
                let index = latencies.count
                latencies.append(clock.now - sent.withLock { $0[index] })
                if latencies.count.isMultiple(of: portion) { permit.yield(portion) }
            }
            return latencies
        }
    }

    private func stream(_ load: Load, portion: Int) async throws -> [Duration] {
        let expected = Array(Payload.small.utf8)
        let received = try await client.serverStreaming(
            request: ClientRequest(message: Array("\(load.count) \(portion)".utf8)), descriptor: Methods.stream,
            serializer: RawBytes(), deserializer: RawBytes(), options: .defaults
        ) { response in
            var received = 0
            for try await message in response.messages {
                guard message == expected else { throw ProbeFailure("Another message came.") }
                received += 1
            }
            return received
        }
        guard received == load.count else { throw ProbeFailure("\(received) of \(load.count) messages came.") }
        return []
    }
}
