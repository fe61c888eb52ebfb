// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A response, judged.
package struct ResponseReading: Sendable, Equatable {
    /// Which call it answers.
    package enum ID: Sendable, Equatable {
        case value(RequestID)
        /// `null`, or absent and read as such.
        case null
        /// None that could be ours: ``Irregularity/invalidID``, ``Irregularity/duplicateID``.
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
    /// True when the response has an `error` member that counts, whether or not it can be read.
    package var isError: Bool
    /// The error object, also where the outcome is a violation. `nil` when there is none or it cannot be read.
    package var error: ErrorObject?
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
        var isError = false
        var error: ErrorObject?
        if case .error(let object) = outcome {
            isError = true
            if !found.contains(.malformedError), !found.contains(.missingErrorCode) { error = object }
        }
        let verdict = strictness.verdict(on: found)
        if let violation = verdict.violation { outcome = .violation(violation) }
        return ResponseReading(
            id: id, outcome: outcome, isError: isError, error: error, reported: verdict.reported,
            closesConnection: verdict.closesConnection)
    }

    private func responseID(
        _ envelope: MessageEnvelope, _ bytes: UnsafeRawBufferPointer, _ found: inout IrregularitySet
    ) -> ResponseReading.ID {
        if envelope.hasDuplicateID {
            found.insert(.duplicateID)
            return .invalid
        }
        switch envelope.id {
        case .number(let number): return .value(.number(number))
        case .string(let range, let isEscaped):
            if let text = try? StringContent.string(in: bytes, range: range, isEscaped: isEscaped) {
                return .value(.string(text))
            }
            found.insert(.invalidID)
            return .invalid
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
        guard let members = try? RawJSON(unchecked: Array(bytes[range])).members() else {
            found.insert(.malformedError)
            return ErrorObject(code: 0, message: "")
        }
        var error = ErrorObject(code: 0, message: "")
        var hasCode = false
        var hasMessage = false
        for (name, value) in members {
            switch name {
            case "code":
                hasCode = true
                error.code = errorCode(value, &found)
                error.writtenCode = writtenCode(value, error.code, found)
            case "message":
                hasMessage = value.isString
                error.message = value == .null || value.isString ? message(value) : value.excerpt(upTo: 200)
            case "data": error.data = value
            default: break
            }
        }
        if !hasCode { found.insert(.missingErrorCode) }
        if !hasMessage { found.insert(.missingErrorMessage) }
        return error
    }

    /// A message which no `String` can hold, since it escapes half of a surrogate pair, is kept with its escapes.
    private func message(_ value: RawJSON) -> String {
        guard value.isString else { return "" }
        return value.bytes.withUnsafeBytes { bytes in
            let content = 1..<max(1, bytes.count - 1)
            return (try? StringContent.string(in: bytes, range: content, isEscaped: true))
                ?? String(decoding: UnsafeRawBufferPointer(rebasing: bytes[content]), as: UTF8.self)
        }
    }

    private func errorCode(_ value: RawJSON, _ found: inout IrregularitySet) -> ErrorObject.Code {
        let text = value.isString ? message(value) : value.text
        if let code = Int(text) {
            if value.isString { found.insert(.errorCodeAsString) }
            return ErrorObject.Code(rawValue: code)
        }
        // `Double` reads more than JSON writes, but of a valid message's values only numbers.
        if !value.isString, let number = Double(text), let code = Int(exactly: number.rounded(.towardZero)) {
            found.insert(.fractionalErrorCode)
            return ErrorObject.Code(rawValue: code)
        }
        found.insert(.missingErrorCode)
        return 0
    }

    /// Returns the text of a code whose fraction was dropped, because the number without it is another code.
    private func writtenCode(_ value: RawJSON, _ code: ErrorObject.Code, _ found: IrregularitySet) -> String? {
        guard found.contains(.fractionalErrorCode), Double(value.text) != Double(code.rawValue) else { return nil }
        return value.excerpt(upTo: 40)
    }
}

extension RawJSON {
    fileprivate var isString: Bool { bytes.first == UInt8(ascii: "\"") }
}
