// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A message that a script sends, with places for values that are known when it is sent.
struct MessageTemplate: Sendable {
    enum Part: Sendable {
        case bytes([UInt8])
        /// A name, which stays as it is if it has no value.
        case name(String)
        /// The id of the oldest request that has no response.
        case openRequestID
    }

    var parts: [Part]

    init(parts: [Part]) { self.parts = parts }

    /// Makes a template of the text after `<--`. Messages without `jsonrpc` are completed with the version, and
    /// responses without `id` with the id of a request.
    init(completing text: String) {
        guard let json = try? RawJSON(validating: text) else {
            self.init(exactly: text)
            return
        }
        guard let elements = try? json.elements() else {
            self.init(parts: Self.completed(json))
            return
        }
        var parts: [Part] = [.bytes([UInt8(ascii: "[")])]
        for (index, element) in elements.enumerated() {
            if index > 0 { parts.append(.bytes([UInt8(ascii: ",")])) }
            parts += Self.completed(element)
        }
        self.init(parts: parts + [.bytes([UInt8(ascii: "]")])])
    }

    /// Makes a template of a text in which only names are replaced.
    init(exactly text: String) { parts = Self.parts(of: text) }

    private static func completed(_ json: RawJSON) -> [Part] {
        guard let members = try? json.members() else { return parts(of: json.text) }
        let names = Set(members.map(\.name))
        let isResponse = names.contains("result") || names.contains("error")
        guard !names.contains("jsonrpc"), isResponse || names.contains("method") else { return parts(of: json.text) }
        var parts: [Part] = [.bytes(Array(#"{"jsonrpc":"2.0","#.utf8))]
        if isResponse, !names.contains("id"), !names.contains("method") {
            parts += [.bytes(Array(#""id":"#.utf8)), .openRequestID, .bytes([UInt8(ascii: ",")])]
        }
        return parts + Self.parts(of: String(json.text.dropFirst()))
    }

    /// Divides a text at each `"$name"`.
    private static func parts(of text: String) -> [Part] {
        var parts: [Part] = []
        var literal: [UInt8] = []
        let pieces = text.split(separator: "\"", omittingEmptySubsequences: false)
        var index = 0
        while index < pieces.count {
            if index > 0, index + 1 < pieces.count, MessagePattern.isName(pieces[index]) {
                parts += [.bytes(literal), .name(String(pieces[index]))]
                literal = Array(pieces[index + 1].utf8)
                index += 2
            } else {
                if index > 0 { literal.append(UInt8(ascii: "\"")) }
                literal += pieces[index].utf8
                index += 1
            }
        }
        return parts + [.bytes(literal)]
    }

    /// Returns the message.
    ///
    /// - Parameter openRequests: The ids of requests without a response, the oldest first. Ids that the template takes
    ///   are removed.
    /// - Returns: `nil` if the message needs more ids of requests.
    func filled(_ bindings: MessagePattern.Bindings, _ openRequests: inout [JSONValue]) -> [UInt8]? {
        var bytes: [UInt8] = []
        for part in parts {
            switch part {
            case .bytes(let literal): bytes += literal
            case .name(let name): bytes += bindings[name]?.bytes ?? Array("\"\(name)\"".utf8)
            case .openRequestID:
                guard !openRequests.isEmpty else { return nil }
                bytes += openRequests.removeFirst().bytes
            }
        }
        return bytes
    }
}
