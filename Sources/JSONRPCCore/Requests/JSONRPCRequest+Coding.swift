// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

extension JSONRPCRequest {
    /// The params as they go into the message; nil for none.
    ///
    /// - Throws: a ``ClientError`` with the code ``ClientError/Code/encodingFailed``.
    package func encodedParams(using coder: any MessageCoder) throws(ClientError) -> RawJSON? {
        if Params.self == NoParams.self { return nil }
        let json: RawJSON
        do {
            json = try coder.encode(params)
        } catch {
            throw ClientError(
                .encodingFailed, "The params could not be encoded.", cause: error, method: method,
                delivery: .notSent)
        }
        if json == .null { return nil }
        guard json.isStructured else {
            throw ClientError(
                .encodingFailed, "The params are neither an array nor an object.",
                cause: UnstructuredParams(method: method), method: method, delivery: .notSent)
        }
        return json
    }

    /// Makes the response of what came for this request; nil came for a notification.
    package func outcome(
        of came: Result<RawJSON, CallError>?, using coder: any MessageCoder
    ) -> Result<Response, CallError> {
        switch came {
        case .success(let result): Result { () throws(CallError) in try decoded(result, using: coder) }
        case .failure(let error): .failure(error)
        case nil: Result { () throws(CallError) in try notified() }
        }
    }

    /// The same for a request whose type is not known.
    package func erasedOutcome(
        of came: Result<RawJSON, CallError>?, using coder: any MessageCoder
    ) -> Result<any Sendable, CallError> {
        outcome(of: came, using: coder).map { $0 }
    }

    /// Decodes a result.
    package func decoded(_ result: RawJSON, using coder: any MessageCoder) throws(CallError) -> Response {
        do {
            return try response(from: result, using: coder)
        } catch let error as ErrorObject {
            throw .answered(error)
        } catch let error as ClientError {
            throw .failed(error)
        } catch {
            throw .failed(
                ClientError(
                    .decodingFailed, "The result is no \(Response.self).", cause: error, method: method,
                    delivery: .answered))
        }
    }

    /// The response of a notification, which is `Void`.
    package func notified() throws(CallError) -> Response {
        if let nothing = () as? Response { return nothing }
        throw .failed(.missingResponse(received: nil, delivery: .outcomeUnknown))
    }
}
