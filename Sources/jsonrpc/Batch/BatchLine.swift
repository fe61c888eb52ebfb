// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// One line of a batch's input: a request to make.
struct BatchLine: Equatable, Sendable {
    /// What the answer is labelled with: the line's `id`, else the line's number. On the wire the call has an id of
    /// the session's own, so labels may repeat.
    var label: RawJSON
    var method: String
    var params: RawJSON?
    var isNotification: Bool
    /// Members beside those of JSON-RPC, such as `sessionId`: they are sent with the request.
    var extraMembers = ExtraMembers()

    /// Why a line is no request.
    struct Fault: Error, Equatable {
        var label: RawJSON
        var message: String
    }

    /// Reads a line; nil when there is nothing on it.
    init?(_ line: StandardInput.Line) throws(Fault) {
        guard !line.bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { return nil }
        guard var label = try? RawJSON(validating: String(line.number)) else { return nil }
        func fault(_ message: String) -> Fault { Fault(label: label, message: message) }

        let members: JSONMembers?
        do {
            members = try JSONMembers(RawJSON(validating: line.bytes))
        } catch let error as JSONSyntaxError {
            // A line of input is one line of JSON, so that the error's own line says nothing.
            throw fault("Line \(line.number), column \(error.column): not JSON: \(error.reason).")
        } catch {
            throw fault("Line \(line.number): \(error)")
        }
        guard let members else { throw fault("Line \(line.number) is no JSON object.") }

        // First, so that a fault in another member is reported under the line's own id.
        if let id = members["id"].last {
            guard Self.isID(id) else { throw fault("Line \(line.number): 'id' is neither a string nor a number.") }
            label = id
        }

        var seen: Set<String> = []
        (self.label, method, params, isNotification) = (label, "", nil, false)
        for (name, value) in members.members {
            guard seen.insert(name).inserted else { throw fault("Line \(line.number) has two members '\(name)'.") }
            switch (name, value.bytes.first) {
            case ("method", UInt8(ascii: "\"")):
                guard let text = try? value.decode(as: String.self) else {
                    throw fault("Line \(line.number): 'method' is not a Unicode text.")
                }
                method = text
            case ("params", UInt8(ascii: "[")), ("params", UInt8(ascii: "{")): params = value
            case ("notification", UInt8(ascii: "t")): isNotification = true
            case ("notification", UInt8(ascii: "f")): isNotification = false
            case ("id", _), ("jsonrpc", _): continue
            case ("method", _): throw fault("Line \(line.number): 'method' is not a string.")
            case ("params", _): throw fault("Line \(line.number): 'params' is neither an array nor an object.")
            case ("notification", _): throw fault("Line \(line.number): 'notification' is neither true nor false.")
            default: try addExtraMember(name, value, line.number, fault)
            }
        }
        guard seen.contains("method") else { throw fault("Line \(line.number) has no 'method'.") }
        guard !(isNotification && seen.contains("id")) else {
            throw fault("Line \(line.number) is a notification and has an 'id'.")
        }
    }

    /// A name that differs from one of these in a letter or two is a slip.
    private static let knownNames = ["method", "params", "notification"]

    private mutating func addExtraMember(
        _ name: String, _ value: RawJSON, _ number: Int, _ fault: (String) -> Fault
    ) throws(Fault) {
        if let known = SimilarWord.find(name, among: Self.knownNames) {
            throw fault("Line \(number) has a member '\(name)'. Did you mean '\(known)'?")
        }
        do {
            try extraMembers.set(name, to: value)
        } catch {
            throw fault("Line \(number) has a member '\(name)', which only a response has.")
        }
    }

    /// A string, a number or null (JSON-RPC 2.0 §4).
    private static func isID(_ json: RawJSON) -> Bool {
        guard let first = json.bytes.first else { return false }
        return switch first {
        case UInt8(ascii: "\""), UInt8(ascii: "n"), UInt8(ascii: "-"), 0x30...0x39: true
        default: false
        }
    }
}
