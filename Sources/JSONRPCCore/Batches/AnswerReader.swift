// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// The cause of a ``ClientError`` with the code ``ClientError/Code/missingResponse``.
public struct MissingResponse: Error, Sendable, Hashable, CustomStringConvertible {
    /// What came instead; nil when that was nothing, or is not known.
    public var received: RawJSON?

    public init(received: RawJSON?) { self.received = received }

    /// Leaves out what was received: it may be large, and may hold what does not belong in a log.
    public var description: String { "No response has the request's id." }
}

/// Reads the one answer to a message: an object, an array, or nothing.
///
/// It judges by the same rules as a session does, but has no events to report to: what those rules let pass is used.
package struct AnswerReader: Sendable {
    private let reader: MessageReader
    private let scanner: EnvelopeScanner

    package init(strictness: Strictness, version: VersionMember.Inbound, limits: JSONLimits) {
        reader = MessageReader(strictness: strictness, version: version)
        scanner = EnvelopeScanner(limits: limits)
    }

    package var strictness: Strictness { reader.strictness }

    /// The responses in an answer, in its order. Members of an array that name no call are left out, but for errors
    /// whose id is `null`.
    ///
    /// - Throws: a ``ClientError`` when the whole answer cannot be used.
    package func responses(in answer: [UInt8]) throws(ClientError) -> [ResponseObject] {
        if answer.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) { return [] }
        let result = answer.withUnsafeBytes { bytes in
            Result { () throws(ClientError) in try responses(in: bytes, of: answer) }
        }
        return try result.get()
    }

    private func responses(
        in bytes: UnsafeRawBufferPointer, of answer: [UInt8]
    ) throws(ClientError) -> [ResponseObject] {
        var members: [MessageEnvelope] = []
        let scan: MessageScan
        do {
            scan = try scanner.scan(bytes, members: &members)
        } catch {
            throw .violation(error.isInvalidUTF8 ? .invalidUTF8 : .malformedJSON, cause: error.error)
        }
        switch scan {
        case .single(let envelope):
            guard reader.kind(of: envelope) == .response else { throw .violation(.notAMessage) }
            let reading = reader.response(envelope, in: bytes)
            if let response = response(reading, answer) { return [response] }
            throw .violation(envelope.hasDuplicateID ? .duplicateID : .invalidID)
        case .batch(count: 0): throw .violation(.emptyBatch)
        case .batch:
            return members.compactMap { envelope in
                guard reader.kind(of: envelope) == .response else { return nil }
                return response(reader.response(envelope, in: bytes), answer)
            }
        }
    }

    /// Nil for a response whose id is none.
    private func response(_ reading: ResponseReading, _ answer: [UInt8]) -> ResponseObject? {
        let id: RequestID?
        switch reading.id {
        case .value(let value): id = value
        case .null: id = nil
        case .invalid: return nil
        }
        switch reading.outcome {
        case .result(let range):
            let result = range.map { RawJSON(unchecked: answer[$0]) }
            return ResponseObject(id: id, outcome: .success(result ?? .null))
        case .error(let error): return ResponseObject(id: id, outcome: .failure(.answered(error)))
        case .violation(let irregularity):
            let error = ClientError.violation(irregularity, requestID: id)
            return ResponseObject(id: id, outcome: .failure(.failed(error)))
        }
    }
}

extension ClientError {
    /// Says that the peer's answer is no proper response.
    package static func violation(
        _ irregularity: Irregularity, cause: (any Error)? = nil, requestID: RequestID? = nil
    ) -> ClientError {
        ClientError(
            .protocolViolation, "The peer sent \(irregularity).", cause: cause, requestID: requestID,
            delivery: .answered, irregularity: irregularity)
    }
}
