// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

extension JSONRPCRequest {
    /// Returns the encoded params; `nil` if the message has no params.
    package func encodedParams(using coder: any MessageCoder) throws(ClientError) -> RawJSON? {
        if Params.self == NoParams.self { return nil }
        let json: RawJSON
        do {
            json = try coder.encode(params)
        } catch {
            throw .encodingFailed(error, method: method)
        }
        if json.isStructured { return json }
        if json == .null { return nil }
        throw .unstructuredParams(method: method)
    }

    /// Appends the encoded params and returns their range; `nil` if the message has no params. If it throws, nothing
    /// is appended.
    package func appendParams(
        to bytes: inout [UInt8], using coder: any MessageCoder
    ) throws(ClientError) -> Range<Int>? {
        if Params.self == NoParams.self { return nil }
        return try ParamsText.append(to: &bytes, method: method) { try coder.encode(params, into: &$0) }
    }

    /// Decodes the outcome of this request. The raw outcome of a notification is `nil`.
    @inline(__always)
    package func outcome(
        of came: Result<RawJSON, CallError>?, using coder: any MessageCoder
    ) -> Result<Response, CallError> {
        do throws(CallError) {
            switch came {
            case .success(let result): return .success(try decoded(result, using: coder))
            case .failure(let error): return .failure(error.naming(method: method))
            case nil: return .success(try notified())
            }
        } catch {
            return .failure(error)
        }
    }

    /// Decodes the outcomes of many requests. In one loop, the runtime looks up the metadata of the type only once.
    package static func outcomes(
        of requests: [Self], came: [Result<RawJSON, CallError>?], using coder: any MessageCoder
    ) -> [Result<Response, CallError>] {
        var outcomes: [Result<Response, CallError>] = []
        outcomes.reserveCapacity(requests.count)
        for index in 0..<min(requests.count, came.count) {
            outcomes.append(requests[index].outcome(of: came[index], using: coder))
        }
        return outcomes
    }

    /// Decodes the outcome of a request whose type is not known statically.
    package func erasedOutcome(
        of came: Result<RawJSON, CallError>?, using coder: any MessageCoder
    ) -> Result<any Sendable, CallError> {
        outcome(of: came, using: coder).map { $0 }
    }

    /// Decodes a result. Errors become errors of the call.
    @inline(__always)
    package func decoded(_ result: RawJSON, using coder: any MessageCoder) throws(CallError) -> Response {
        do {
            return try response(from: result, using: coder)
        } catch {
            throw decodingFailure(error, result)
        }
    }

    /// Returns the error of a call whose result could not be made into a response.
    package func decodingFailure(_ error: any Error, _ result: RawJSON) -> CallError {
        switch error {
        case let error as ErrorObject: .answered(error)
        case let error as ClientError: .failed(error)
        default: .failed(.decodingFailed(error, as: Response.self, method: method, result: result))
        }
    }

    /// Returns the response of a notification, which is `Void`.
    package func notified() throws(CallError) -> Response {
        if let nothing = () as? Response { return nothing }
        throw .failed(.missingResponse(received: nil, delivery: .outcomeUnknown))
    }
}

/// The text of params in a request that is being composed.
package enum ParamsText {
    /// Appends params and returns their range; `nil` if the message has no params, because they are `null`. If it
    /// throws, nothing is appended.
    package static func append(
        to bytes: inout [UInt8], method: String, encode: (inout [UInt8]) throws -> Void
    ) throws(ClientError) -> Range<Int>? {
        let start = bytes.count
        do {
            try encode(&bytes)
        } catch {
            // A program's own coder may have appended bytes before it threw.
            if bytes.count > start { bytes.removeSubrange(start...) }
            throw .encodingFailed(error, method: method)
        }
        switch bytes.count > start ? bytes[start] : 0 {
        case UInt8(ascii: "["), UInt8(ascii: "{"): return start..<bytes.count
        default:
            let isNull = bytes[start...].elementsEqual("null".utf8)
            bytes.removeSubrange(start...)
            if isNull { return nil }
            throw .unstructuredParams(method: method)
        }
    }
}
