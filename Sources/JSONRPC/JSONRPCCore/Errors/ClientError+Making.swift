// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

extension ClientError {
    /// Returns the error for params that could not be encoded.
    package static func encodingFailed(_ error: any Error, method: String) -> ClientError {
        let reason = CodingReason.text(of: error) ?? "\(error)"
        return ClientError(
            .encodingFailed, "Could not encode the params of `\(method)`: \(reason)", cause: error, method: method,
            delivery: .notSent)
    }

    /// Returns the error for params that encode as neither an array nor an object.
    package static func unstructuredParams(method: String) -> ClientError {
        ClientError(
            .encodingFailed,
            "The params of `\(method)` encode as neither an array nor an object, as JSON-RPC 2.0 §4.2 requires. "
                + "Pass an array, a dictionary or a struct.",
            method: method, delivery: .notSent)
    }

    /// Returns the error for a result that could not be decoded.
    package static func decodingFailed(
        _ error: any Error, as type: Any.Type, method: String, result: RawJSON
    ) -> ClientError {
        let reason = CodingReason.text(of: error) ?? "\(error)"
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
            // The server's words say more than the fault in their form.
            if let error = received.flatMap({ RawJSON.member("error", of: $0) }) {
                message = "The peer sent \(irregularity): \(error.excerpt(upTo: 200))"
            }
        default: break
        }
        return ClientError(
            .protocolViolation, message, cause: cause, requestID: requestID, delivery: .answered,
            irregularity: irregularity, received: received)
    }

    /// Returns the error for a request whose response is missing from the answer.
    package static func missingResponse(received: [UInt8]?, delivery: ClientError.Delivery) -> ClientError {
        ClientError(
            .missingResponse, "The peer's answer holds no response to the request.", delivery: delivery,
            received: received)
    }

    /// Returns the error for a call without a response before its timeout.
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

/// The part of a coder's error that error messages show.
package enum CodingReason {
    /// The reason and the place of a `DecodingError` or an `EncodingError`, such as "expected a number at $.a[3].";
    /// `nil` for other errors.
    package static func text(of error: any Error) -> String? {
        switch error {
        case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.dataCorrupted(let context):
            sentence(context.debugDescription, context.codingPath)
        case DecodingError.keyNotFound(let key, let context):
            // Foundation's text names the key in the way a debugger does.
            context.debugDescription.contains("$")
                ? sentence(context.debugDescription, context.codingPath)
                : sentence("The object has no member \"\(key.stringValue)\"", context.codingPath)
        case EncodingError.invalidValue(_, let context): sentence(context.debugDescription, context.codingPath)
        default: nil
        }
    }

    /// Makes a sentence with the place of the fault. Texts of WireJSON's coders already contain the place.
    private static func sentence(_ text: String, _ path: [any CodingKey]) -> String {
        var text = text
        while text.last == "." { text.removeLast() }
        if !text.contains("$") { text += " at \(place(path))" }
        return (text.first?.lowercased() ?? "") + text.dropFirst() + "."
    }

    /// Returns a path as text, such as `$.a[3]`.
    private static func place(_ path: [any CodingKey]) -> String {
        path.reduce(into: "$") { text, key in
            text += key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)"
        }
    }
}
