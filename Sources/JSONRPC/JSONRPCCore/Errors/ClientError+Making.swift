// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

extension ClientError {
    package static func encodingFailed(_ error: any Error, method: String) -> ClientError {
        ClientError(
            .encodingFailed, "Could not encode the params of `\(method)`: \(CodingReason.clause(of: error))",
            cause: error, method: method, delivery: .notSent)
    }

    /// Returns the error for params that encode as neither an array nor an object.
    package static func unstructuredParams(method: String) -> ClientError {
        ClientError(
            .encodingFailed,
            "The params of `\(method)` encode as neither an array nor an object, as JSON-RPC 2.0 §4.2 requires. "
                + "Pass an array, a dictionary or a struct.",
            method: method, delivery: .notSent)
    }

    package static func decodingFailed(
        _ error: any Error, as type: Any.Type, method: String, result: RawJSON
    ) -> ClientError {
        let reason = CodingReason.clause(of: error)
        return ClientError(
            .decodingFailed, "Could not decode the result of `\(method)` as `\(type)`: \(reason)", cause: error,
            method: method, delivery: .answered, received: Array(result.bytes))
    }

    /// Returns the error for an answer that is not a valid response.
    package static func violation(
        _ irregularity: Irregularity, cause: (any Error)? = nil, requestID: RequestID? = nil, received: [UInt8]? = nil
    ) -> ClientError {
        var message = "The peer sent \(irregularity)."
        switch irregularity {
        case .wrongVersion:
            if let version = received.flatMap({ RawJSON.member("jsonrpc", of: $0) }) {
                message = "The peer sent \(irregularity), but \(version.excerpt(upTo: 40))."
            }
        case .malformedError, .missingErrorCode:
            // The peer's error says more than the irregularity of its form.
            if let error = received.flatMap({ RawJSON.member("error", of: $0) }) {
                message = "The peer sent \(irregularity): \(error.excerpt(upTo: 200))"
            }
        default: break
        }
        return ClientError(
            .protocolViolation, message, cause: cause, requestID: requestID, delivery: .answered,
            irregularity: irregularity, received: received)
    }

    package static func missingResponse(received: [UInt8]?, delivery: ClientError.Delivery) -> ClientError {
        ClientError(
            .missingResponse, "The peer's answer holds no response to the request.", delivery: delivery,
            received: received)
    }

    package static func timedOut(_ delivery: ClientError.Delivery) -> ClientError {
        ClientError(.timedOut, "No response arrived before the timeout.", delivery: delivery)
    }
}

extension RawJSON {
    /// The beginning of the text, on one line.
    func excerpt(upTo limit: Int) -> String {
        guard bytes.count > limit else { return text.escapingControls }
        // A character that does not fit is left out.
        let isContinuation = { (byte: UInt8) in byte & 0xC0 == 0x80 }
        let end = bytes[...(bytes.startIndex + limit)].lastIndex { !isContinuation($0) } ?? bytes.startIndex
        return String(decoding: bytes[..<end], as: UTF8.self).escapingControls + "…"
    }
}

extension CodingReason {
    /// Returns the reason as the rest of a sentence; for errors of other kinds, their description.
    package static func clause(of error: any Error) -> String {
        guard let text = text(of: error) else { return "\(error)" }
        return (text.first?.lowercased() ?? "") + text.dropFirst()
    }
}
