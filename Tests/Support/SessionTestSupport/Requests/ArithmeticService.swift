// swift-jsonrpc · SPDX-License-Identifier: MIT

package import JSONRPCCore
package import JSONRPCSession
package import TestSupport
package import WireJSON

/// The methods for the request behaviours: those of the specification's examples, and an echo. It uses no transport.
package final class ArithmeticService: Sendable {
    /// The notifications that arrived, as `method params`.
    package let log = EventLog<String>()

    package init() {}

    package var notifications: [String] { log.elements }

    /// Answers a request. Params come by position or by name.
    package func answer(_ method: String, _ params: RawJSON?) throws -> RawJSON {
        let params = try params.map { try JSONValue($0) }
        return RawJSON(try answer(method, params))
    }

    /// Takes a notification.
    package func take(_ method: String, _ params: RawJSON?) {
        log.record("\(method) \(params?.text ?? "-")")
    }

    private func answer(_ method: String, _ params: JSONValue?) throws -> JSONValue {
        switch method {
        case "subtract": .number(JSONNumber(try int(params, "minuend", 0) - int(params, "subtrahend", 1)))
        case "sum": .number(JSONNumber((params?.arrayValue ?? []).compactMap(\.intValue).reduce(0, +)))
        case "addIntegers": .number(JSONNumber(try int(params, "first", 0) + int(params, "second", 1)))
        case "appendStrings":
            .string(
                (try member(params, "first", 0).stringValue ?? "") + (try member(params, "second", 1).stringValue ?? "")
            )
        case "helloWorld": params == nil ? "Hello World!" : "unexpected params"
        case "echo": try member(params, "value", 0)
        case "get_data": ["hello", 5]
        case "fail":
            throw ErrorObject(code: ErrorObject.Code(rawValue: try int(params, "code", 0)), message: "as asked")
        default: throw ErrorObject(.methodNotFound)
        }
    }

    private func member(_ params: JSONValue?, _ name: String, _ index: Int) throws -> JSONValue {
        guard let value = params?[name] ?? params?[index] else { throw ErrorObject(.invalidParams) }
        return value
    }

    private func int(_ params: JSONValue?, _ name: String, _ index: Int) throws -> Int {
        guard let value = try member(params, name, index).intValue else { throw ErrorObject(.invalidParams) }
        return value
    }

    /// Serves a session's peer.
    package func serve(_ session: DuplexSession) {
        session.setFallbackHandler(SynchronousHandler { try self.answer($0.method, $0.params) })
        session.setFallbackNotificationHandler { self.take($0.method, $0.params) }
    }
}

/// A service in the same process, which takes objects.
package struct InMemoryObjectTransport: ObjectTransport {
    private let service: ArithmeticService

    package init(_ service: ArithmeticService) { self.service = service }

    /// Answers in reverse order, to show that the order does not matter.
    package func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
        message.requests.reversed().compactMap { request in
            guard let id = request.id else {
                service.take(request.method, request.params)
                return nil
            }
            return ResponseObject(
                id: id,
                outcome: Result { try service.answer(request.method, request.params) }.mapError { CallError($0) })
        }
    }
}

/// A service in the same process that takes bytes and implements JSON-RPC by itself: no tested code reads the requests
/// or writes the responses.
package struct InMemoryDataTransport: DataTransport {
    private let service: ArithmeticService

    package init(_ service: ArithmeticService) { self.service = service }

    package func exchange(_ message: [UInt8], expectsResponse: Bool) async throws -> [UInt8] {
        guard let value = try? JSONValue(parsing: message) else {
            return failure(.parseError).bytes
        }
        guard let members = value.arrayValue else { return answer(value)?.bytes ?? [] }
        if members.isEmpty { return failure(.invalidRequest).bytes }
        let answers = members.reversed().compactMap { answer($0) }
        return answers.isEmpty ? [] : JSONValue.array(answers).bytes
    }

    private func failure(_ code: ErrorObject.Code, id: JSONValue = .null) -> JSONValue {
        let error: JSONValue = [
            "code": .number(JSONNumber(code.rawValue)), "message": .string(code.standardMessage ?? ""),
        ]
        return ["jsonrpc": "2.0", "id": id, "error": error]
    }

    private func answer(_ request: JSONValue) -> JSONValue? {
        guard request["jsonrpc"] == "2.0", let method = request["method"]?.stringValue else {
            return failure(.invalidRequest)
        }
        let params = request["params"].map { RawJSON($0) }
        guard let id = request["id"] else {
            service.take(method, params)
            return nil
        }
        do {
            return ["jsonrpc": "2.0", "id": id, "result": try JSONValue(service.answer(method, params))]
        } catch let error as ErrorObject {
            let object: JSONValue = [
                "code": .number(JSONNumber(error.code.rawValue)), "message": .string(error.message),
            ]
            return ["jsonrpc": "2.0", "id": id, "error": object]
        } catch {
            return failure(.internalError, id: id)
        }
    }
}
