// swift-jsonrpc · SPDX-License-Identifier: MIT

public import WireJSON

/// A reader of the answer to a message: an object, an array, or no bytes.
///
/// Use it in an `ObjectTransport` of your own, to read responses from bytes:
///
/// ```swift
/// func exchange(_ message: RequestMessage) async throws -> [ResponseObject] {
///     try AnswerReader().responses(in: try await post(message.bytes()))
/// }
/// ```
///
/// The rules are those of a session. A reader has no events, so it does not report irregularities that the
/// ``Strictness`` accepts.
public struct AnswerReader: Sendable {
    private let reader: MessageReader
    private let scanner: EnvelopeScanner

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - strictness: Decides which irregular responses are used. The default is ``Strictness/standard``.
    ///   - version: Whether a response without a `jsonrpc` member is irregular. The default is yes.
    ///   - limits: The maximum nesting of an answer. The default is 512.
    public init(
        strictness: Strictness = .standard, version: VersionMember.Inbound = .required,
        limits: JSONLimits = JSONLimits()
    ) {
        reader = MessageReader(strictness: strictness, version: version)
        scanner = EnvelopeScanner(limits: limits)
    }

    package var strictness: Strictness { reader.strictness }

    /// Returns the responses in an answer, in its order; none if the answer is empty or white space.
    ///
    /// A response that violates the protocol is included, with the violation as its outcome. Array members that name
    /// no call are omitted, except errors with the id `null`.
    ///
    /// - Throws: A ``ClientError`` with the code ``ClientError/Code/protocolViolation`` if the answer as a whole cannot
    ///   be used.
    public func responses(in answer: [UInt8]) throws(ClientError) -> [ResponseObject] {
        try reading(of: answer).responses
    }

    package struct Reading: Sendable {
        package var responses: [ResponseObject] = []
        package var isArray = false
        /// The number of array members that are not responses, such as `null`.
        package var strangers = 0
    }

    /// Returns the content of an answer: see ``responses(in:)``.
    package func reading(of answer: [UInt8]) throws(ClientError) -> Reading {
        if answer.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) { return Reading() }
        let result = answer.withUnsafeBytes { bytes in
            Result { () throws(ClientError) in try reading(in: bytes, of: answer) }
        }
        return try result.get()
    }

    private func reading(
        in bytes: UnsafeRawBufferPointer, of answer: [UInt8]
    ) throws(ClientError) -> Reading {
        var members: [MessageEnvelope] = []
        let scan: MessageScan
        do {
            scan = try scanner.scan(bytes, members: &members)
        } catch {
            throw .violation(
                error.isInvalidUTF8 ? .invalidUTF8 : .malformedJSON, cause: error.error, received: answer)
        }
        switch scan {
        case .single(let envelope):
            guard reader.kind(of: envelope) == .response else { throw .violation(.notAMessage, received: answer) }
            let reading = reader.response(envelope, in: bytes)
            if let response = response(reading, envelope, answer) { return Reading(responses: [response]) }
            throw .violation(envelope.hasDuplicateID ? .duplicateID : .invalidID, received: answer)
        case .batch(count: 0): throw .violation(.emptyBatch, received: answer)
        case .batch(let count):
            let responses = members.compactMap { envelope -> ResponseObject? in
                guard reader.kind(of: envelope) == .response else { return nil }
                return response(reader.response(envelope, in: bytes), envelope, answer)
            }
            return Reading(responses: responses, isArray: true, strangers: count - responses.count)
        }
    }

    /// Returns `nil` for a response whose id is neither an id nor `null`.
    private func response(
        _ reading: ResponseReading, _ envelope: MessageEnvelope, _ answer: [UInt8]
    ) -> ResponseObject? {
        guard reading.id != .invalid else { return nil }
        let id = reading.id.value
        switch reading.outcome {
        case .result(let range):
            let result = range.map {
                RawJSON(unchecked: answer[$0].detached(from: envelope.range.count, slack: StoredPart.resultSlack))
            }
            return ResponseObject(id: id, outcome: .success(result ?? .null))
        case .error(let error): return ResponseObject(id: id, outcome: .failure(.answered(error)))
        case .violation(let irregularity):
            let received = Array(answer[envelope.range.clamped(to: answer.indices)])
            let error = ClientError.violation(irregularity, requestID: id, received: received)
            return ResponseObject(id: id, outcome: .failure(.failed(error)))
        }
    }
}

extension ResponseObject {
    /// Reads one response.
    ///
    /// - Parameters:
    ///   - bytes: A JSON object. For an array, or an answer that may be absent, use ``AnswerReader``.
    ///   - strictness: Which irregularities are accepted. The default is ``Strictness/standard``.
    ///   - version: Whether the response must have a `jsonrpc` member.
    /// - Throws: A ``ClientError`` with the code ``ClientError/Code/protocolViolation`` if the bytes are not one
    ///   response. A response with a known id that violates the protocol has the violation as its outcome.
    public init(
        parsing bytes: [UInt8], strictness: Strictness = .standard, version: VersionMember.Inbound = .required
    ) throws(ClientError) {
        let responses = try AnswerReader(strictness: strictness, version: version).responses(in: bytes)
        guard responses.count == 1, bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else {
            throw .violation(.notAMessage, received: bytes)
        }
        self = responses[0]
    }
}
