// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Testing
import WireJSON

extension MessageReader {
    static let standard = MessageReader(strictness: .standard, version: .required)
    static let tolerant = MessageReader(strictness: Strictness(everything: .report), version: .required)
}

/// Scans one message that is not a batch.
func scan(_ bytes: [UInt8]) throws -> MessageEnvelope {
    var members: [MessageEnvelope] = []
    let scan = try bytes.withUnsafeBytes { try EnvelopeScanner().scan($0, members: &members) }
    guard case .single(let envelope) = scan else {
        throw UnexpectedBatch()
    }
    return envelope
}

struct UnexpectedBatch: Error {}

extension MessageReader {
    /// Scans and judges one response.
    func response(_ text: String, found: IrregularitySet = []) throws -> ResponseReading {
        let bytes = Array(text.utf8)
        let envelope = try scan(bytes)
        try #require(kind(of: envelope) == .response)
        return bytes.withUnsafeBytes { response(envelope, in: $0, found: found) }
    }

    /// Scans and judges one request or notification.
    func call(_ text: String, found: IrregularitySet = []) throws -> CallReading {
        let bytes = Array(text.utf8)
        let envelope = try scan(bytes)
        try #require([.request, .notification].contains(kind(of: envelope)))
        return bytes.withUnsafeBytes { call(envelope, in: $0, found: found) }
    }
}

extension EchoedID {
    var text: String {
        switch self {
        case .number(let number): String(number)
        case .json(let json): json.text
        }
    }
}
