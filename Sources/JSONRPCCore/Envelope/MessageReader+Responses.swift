// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

/// A response, judged.
package struct ResponseReading: Sendable, Equatable {
    /// Which call it answers.
    package enum ID: Sendable, Equatable {
        case value(RequestID)
        /// `null`, or absent and read as such.
        case null
        /// Neither an integer nor a string: ``Irregularity/invalidID``.
        case invalid
    }

    package enum Outcome: Sendable, Equatable {
        /// The result's range; nil when there is none and `null` is read for it.
        case result(Range<Int>?)
        case error(ErrorObject)
        /// The response is not used: the call it names fails for this reason.
        case violation(Irregularity)
    }

    package var id: ID
    package var outcome: Outcome
    /// What the session's events tell of.
    package var reported: IrregularitySet
    /// True when the connection is to be closed, once this response is dealt with.
    package var closesConnection: Bool
}

extension MessageReader {
    /// Judges a message of the kind ``Kind/response``.
    ///
    /// - Parameter found: what is known to be irregular beside the envelope, such as ``Irregularity/binaryMessage``.
    package func response(
        _ envelope: MessageEnvelope, in bytes: UnsafeRawBufferPointer, found: IrregularitySet = []
    ) -> ResponseReading {
        var found = commonIrregularities(envelope, found)
        let id = responseID(envelope, bytes, &found)
        if envelope.method != .absent { found.insert(.methodInResponse) }
        var outcome = outcome(envelope, bytes, &found)
        let verdict = strictness.verdict(on: found)
        if let violation = verdict.violation { outcome = .violation(violation) }
        return ResponseReading(
            id: id, outcome: outcome, reported: verdict.reported, closesConnection: verdict.closesConnection)
    }

    private func responseID(
        _ envelope: MessageEnvelope, _ bytes: UnsafeRawBufferPointer, _ found: inout IrregularitySet
    ) -> ResponseReading.ID {
        switch envelope.id {
        case .number(let number): return .value(.number(number))
        case .string(let range, let isEscaped):
            return .value(.string(JSONText.string(in: bytes, at: range, isEscaped: isEscaped)))
        case .null:
            found.insert(.nullResponseID)
            return .null
        case .absent:
            found.insert(.missingResponseID)
            return .null
        case .other:
            found.insert(.invalidID)
            return .invalid
        }
    }

    private func outcome(
        _ envelope: MessageEnvelope, _ bytes: UnsafeRawBufferPointer, _ found: inout IrregularitySet
    ) -> ResponseReading.Outcome {
        switch (envelope.result, envelope.error) {
        case (let result?, nil): return .result(result)
        case (nil, nil):
            found.insert(.neitherResultNorError)
            return .result(nil)
        case (nil, let error?):
            if Self.isNull(error, in: bytes) {
                found.insert(.neitherResultNorError)
                return .result(nil)
            }
            return .error(errorObject(error, bytes, &found))
        case (let result?, let error?):
            if Self.isNull(error, in: bytes) {
                found.insert(.nullResultOrError)
                return .result(result)
            }
            found.insert(Self.isNull(result, in: bytes) ? .nullResultOrError : .bothResultAndError)
            return .error(errorObject(error, bytes, &found))
        }
    }

    // MARK: Error objects

    /// Reads an error object. Where something has no reading, what is returned is of no use, and `found` says so.
    func errorObject(
        _ range: Range<Int>, _ bytes: UnsafeRawBufferPointer, _ found: inout IrregularitySet
    ) -> ErrorObject {
        var code: Range<Int>?
        var message: Range<Int>?
        var data: Range<Int>?
        guard range.lowerBound < bytes.count, bytes[range.lowerBound] == UInt8(ascii: "{") else {
            found.insert(.malformedError)
            return ErrorObject(code: 0, message: "")
        }
        for member in ObjectMembers(of: bytes, at: range) {
            switch string(member.name, bytes) {
            case "code": code = member.value
            case "message": message = member.value
            case "data": data = member.value
            default: break
            }
        }
        if let present = data, Self.isNull(present, in: bytes) { data = nil }
        return ErrorObject(
            code: errorCode(code, bytes, &found),
            message: errorMessage(message, bytes, &found),
            data: data.map { RawJSON(unchecked: Array(bytes[$0])) }
        )
    }

    private func string(_ range: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> String {
        JSONText.string(in: bytes, at: range, isEscaped: bytes[range].contains(UInt8(ascii: "\\")))
    }

    private func errorMessage(
        _ range: Range<Int>?, _ bytes: UnsafeRawBufferPointer, _ found: inout IrregularitySet
    ) -> String {
        guard let range, let content = stringContent(range, bytes) else {
            found.insert(.missingErrorMessage)
            return ""
        }
        return string(content, bytes)
    }

    private func errorCode(
        _ range: Range<Int>?, _ bytes: UnsafeRawBufferPointer, _ found: inout IrregularitySet
    ) -> ErrorCode {
        guard let range else {
            found.insert(.missingErrorCode)
            return 0
        }
        let quoted = stringContent(range, bytes)
        let isString = quoted != nil
        let text = quoted.map { string($0, bytes) } ?? String(decoding: bytes[range], as: UTF8.self)
        if let code = Int(text) {
            if isString { found.insert(.errorCodeAsString) }
            return ErrorCode(rawValue: code)
        }
        // `Double` reads more than JSON writes ("inf", "0x1p3"); within a message found valid, only a number gets here.
        if !isString, let value = Double(text), let code = Int(exactly: value.rounded(.towardZero)) {
            found.insert(.fractionalErrorCode)
            return ErrorCode(rawValue: code)
        }
        found.insert(.missingErrorCode)
        return 0
    }

    /// The content of a string, nil for another value.
    private func stringContent(_ range: Range<Int>, _ bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        guard range.count >= 2, bytes[range.lowerBound] == UInt8(ascii: "\"") else { return nil }
        return (range.lowerBound + 1)..<(range.upperBound - 1)
    }
}
