// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import HTTPTypes
import JSONRPCCore
import JSONRPCSession
import WireJSON

extension ResponseBodyReader {
    /// The rules of a client for all answers.
    struct Rules: Sendable {
        let reader: AnswerReader
        /// Reads one element of an array.
        let elementReader: AnswerReader
        /// The limits for one element of an array.
        let elementLimits: JSONLimits
        let matching: ResponseMatching
        let allowsArrays: Bool

        init(_ configuration: SessionConfiguration) {
            let (strictness, version) = (configuration.strictness, configuration.version.inbound)
            let limits = configuration.jsonLimits
            // The array around an element is one level.
            elementLimits = JSONLimits(maximumDepth: limits.maximumDepth - 1)
            allowsArrays = limits.maximumDepth > 0
            reader = AnswerReader(strictness: strictness, version: version, limits: limits)
            elementReader = AnswerReader(strictness: strictness, version: version, limits: elementLimits)
            matching = ResponseMatching(strictness: strictness)
        }
    }

    /// Returns the failure of an answer without a JSON-RPC response: its status if that is not 2xx, or its media type
    /// if that is not a JSON type. `nil` for other answers.
    ///
    /// A response counts whatever its media type is, because many servers send the default type of their framework.
    static func refusal(_ answer: HTTPAnswer) -> JSONRPCHTTPError? {
        if answer.status.kind != .successful { return .status(answer) }
        return isJSON(answer.headerFields[.contentType]) ? nil : .contentType(answer)
    }

    /// Whether a media type is a JSON type, or missing. Its parameters are ignored (RFC 9110 §8.3.1).
    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType, !contentType.isEmpty else { return true }
        guard let type = HTTPMediaType(contentType) else { return false }
        return type.isJSON || ["application/json-rpc", "application/jsonrequest"].contains(type.essence)
    }

    /// Whether a byte is white space (RFC 8259 §2).
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}
