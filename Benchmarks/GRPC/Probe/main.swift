// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

// Both servers and both clients of the comparison with grpc-swift-2: Scripts/bench-grpc.sh
//
//   grpc-probe serve-ours                        prints "listening on port N"
//   grpc-probe serve-grpc [OPTION…]              the same
//   grpc-probe ours MODE N COUNT --port=P        a client, prints one line of JSON
//   grpc-probe grpc MODE N COUNT --port=P [OPTION…]
//
// N is the number of calls in flight. The modes of both are: calls (a task for each call in flight), large (the same
// with messages of 1 MiB), stream (COUNT messages from the server). Ours has results (one task makes all calls). gRPC
// has bidirectional and large-bidirectional (the calls are messages of one stream), and for both and for stream the
// same with -bulk (several messages in one write).
//
// Options of gRPC, for both sides: --no-coalescing, --window=BYTES, --frame=BYTES (of HTTP/2).

let words = CommandLine.arguments.dropFirst().filter { !$0.hasPrefix("--") }
let options = Options(CommandLine.arguments)
do {
    switch (words.first, words.dropFirst(2).first.flatMap { Int($0) }, words.dropFirst(3).first.flatMap { Int($0) }) {
    case ("serve-ours", nil, nil): try await OurServer.run()
    case ("serve-grpc", nil, nil): try await GRPCProbeServer.run(options)
    case ("ours", let width?, let count?) where width > 0 && count > 0:
        print(try await OurProbe.run(words[1], Load(width: width, count: count), options))
    case ("grpc", let width?, let count?) where width > 0 && count > 0:
        print(try await GRPCProbe.run(words[1], Load(width: width, count: count), options))
    default: throw ProbeFailure("The words \(words) are no workload: see main.swift.")
    }
} catch {
    FileHandle.standardError.write(Data("grpc-probe: \(error)\n".utf8))
    exit(1)
}
