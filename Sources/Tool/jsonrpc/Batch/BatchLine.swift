// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

/// One line of the input of `batch`: a request.
struct BatchLine: Equatable, Sendable {
    /// The id of the output line: the `id` of the input line, or its number if it has no `id`.
    ///
    /// On the wire the session uses its own id, so labels may repeat.
    var label: RawJSON
    var method: String
    var params: RawJSON?
    var isNotification: Bool
    /// The members that JSON-RPC does not define, such as `sessionId`. They are sent with the request.
    var extraMembers = ExtraMembers()

    /// The reason why a line is not a request.
    struct Fault: Error, Equatable {
        /// The id of the line; `nil` if the line has no usable id.
        var id: RawJSON?
        var line: Int
        var message: String
    }

    /// Reads a line; `nil` if the line is blank.
    init?(_ line: StandardInput.Line) throws(Fault) {
        guard !line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { return nil }
        var id: RawJSON?
        func fault(_ message: String) -> Fault { Fault(id: id, line: line.number, message: message) }

        let members: [(name: String, value: RawJSON)]?
        do {
            members = try RawJSON(validating: line.bytes).namedMembers()
        } catch let error as JSONSyntaxError {
            // The error's own line is always 1, because the input line is parsed by itself.
            throw fault("Line \(line.number) is not valid JSON at column \(error.column): \(error.reason).")
        } catch {
            throw fault("Could not read line \(line.number). \(error)")
        }
        guard let members else { throw fault("Line \(line.number) is not a JSON object.") }

        // The id is read first, so that a fault in another member is reported with it.
        if let given = members.last(where: { $0.name == "id" })?.value {
            guard Self.isID(given) else { throw fault("Line \(line.number): 'id' must be a string, a number or null.") }
            id = given
        }

        var seen: Set<String> = []
        (label, method, params, isNotification) = (id ?? RawJSON(literal: "\(line.number)"), "", nil, false)
        for (name, value) in members {
            guard seen.insert(name).inserted else { throw fault("Line \(line.number) has the member '\(name)' twice.") }
            switch (name, value.bytes.first) {
            case ("method", UInt8(ascii: "\"")):
                guard let text = try? value.decode(as: String.self) else {
                    throw fault("Line \(line.number): 'method' is not valid Unicode.")
                }
                method = text
            case ("params", UInt8(ascii: "[")), ("params", UInt8(ascii: "{")): params = value
            case ("notification", UInt8(ascii: "t")): isNotification = true
            case ("notification", UInt8(ascii: "f")): isNotification = false
            case ("id", _), ("jsonrpc", _): continue
            case ("method", _): throw fault("Line \(line.number): 'method' must be a string.")
            case ("params", _): throw fault("Line \(line.number): 'params' must be an array or an object.")
            case ("notification", _): throw fault("Line \(line.number): 'notification' must be true or false.")
            default: try addExtraMember(name, value, line.number, fault)
            }
        }
        guard seen.contains("method") else { throw fault("Line \(line.number) has no 'method'.") }
        guard !(isNotification && seen.contains("id")) else {
            throw fault("Line \(line.number) is a notification and must not have an 'id'.")
        }
    }

    /// Names of members. A similar name is treated as a typing error.
    private static let knownNames = ["method", "params", "notification"]

    private mutating func addExtraMember(
        _ name: String, _ value: RawJSON, _ number: Int, _ fault: (String) -> Fault
    ) throws(Fault) {
        if let known = SimilarWord.find(name, among: Self.knownNames) {
            throw fault("Line \(number) has the unknown member '\(name)'. Did you mean '\(known)'?")
        }
        do {
            try extraMembers.set(name, to: value)
        } catch {
            throw fault("Line \(number) has the member '\(name)', which JSON-RPC reserves. Remove it.")
        }
    }

    /// Returns whether a value is a string, a number or null (JSON-RPC 2.0 §4).
    private static func isID(_ json: RawJSON) -> Bool {
        guard let first = json.bytes.first else { return false }
        return switch first {
        case UInt8(ascii: "\""), UInt8(ascii: "n"), UInt8(ascii: "-"), 0x30...0x39: true
        default: false
        }
    }
}

extension BatchLine: JSONRPCRequest {
    func response(from result: RawJSON, using coder: any MessageCoder) -> RawJSON { result }
}
