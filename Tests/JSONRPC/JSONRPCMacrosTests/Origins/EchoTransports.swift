// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCMacros
import Synchronization

/// The results of JRPCProxy's test server, for transports without a connection.
private enum EchoTable {
    static func result(_ method: String, _ params: JSONValue?) throws -> JSONValue {
        switch method {
        case "sayHello" where params == nil: return "Hello World!"
        case "appendStrings":
            guard let first = params?["first"] ?? params?[0], let second = params?["second"] ?? params?[1] else {
                break
            }
            return .string((first.stringValue ?? "") + (second.stringValue ?? ""))
        case "addIntegers":
            guard let first = params?["first"] ?? params?[0], let second = params?["second"] ?? params?[1] else {
                break
            }
            return .number(JSONNumber((first.intValue ?? 0) + (second.intValue ?? 0)))
        case _ where method.hasPrefix("echo"):
            if let value = params?["value"] ?? params?[0] { return value }
        default: throw ErrorObject(.methodNotFound)
        }
        throw ErrorObject(.invalidParams)
    }
}

/// A transport of objects that keeps them.
final class EchoObjectTransport: ObjectTransport {
    private let log = Mutex<[String]>([])

    /// The requests so far, as `method params`.
    var seen: [String] { log.withLock { $0 } }

    func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
        message.requests.compactMap { request in
            log.withLock { $0.append("\(request.method) \(request.params?.text ?? "none")") }
            guard let id = request.id else { return nil }
            let outcome = Result {
                RawJSON(try EchoTable.result(request.method, request.params.map { try JSONValue($0) }))
            }
            return ResponseObject(id: id, outcome: outcome.mapError { CallError($0) })
        }
    }
}

/// A transport of bytes that reads and writes JSON by itself.
struct EchoDataTransport: DataTransport {
    func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] {
        let request = try JSONValue(parsing: message)
        guard let id = request["id"], let method = request["method"]?.stringValue else { return [] }
        return JSONValue.object([
            "jsonrpc": "2.0", "id": id, "result": try EchoTable.result(method, request["params"]),
        ]).bytes
    }
}

/// A transport of objects and bytes. Bytes are a failure.
struct EchoTransport: ObjectTransport, DataTransport {
    let objects = EchoObjectTransport()

    func exchange(_ message: RequestMessage) async throws -> [ResponseObject] { try await objects.exchange(message) }

    func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] {
        throw ErrorObject(.internalError)
    }
}

/// Answers every message with the same text.
struct FixedDataTransport: DataTransport {
    var answer: String

    func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] { Array(answer.utf8) }
}

/// A transport that holds its answer, 3, until the test releases it.
final class HeldTransport: ObjectTransport {
    let (asked, question) = AsyncStream.makeStream(of: Void.self)
    let (release, answer) = AsyncStream.makeStream(of: Void.self)

    func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
        question.yield()
        for await _ in release { break }
        return message.requests.map { ResponseObject(id: $0.id, outcome: .success(RawJSON(3))) }
    }
}
