// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

package struct ResponseReading: Sendable, Equatable {
    /// The id of the call that the response answers.
    package enum ID: Sendable, Equatable {
        case value(RequestID)
        /// `null`, or absent and read as such.
        case null
        /// An id that cannot name a call: ``Irregularity/invalidID``, ``Irregularity/duplicateID``.
        case invalid

        package var value: RequestID? {
            if case .value(let id) = self { id } else { nil }
        }
    }

    package enum Outcome: Sendable, Equatable {
        /// The result's range. `nil` if there is none, which is read as `null`.
        case result(Range<Int>?)
        case error(ErrorObject)
        /// The response is not used: the call it names fails for this reason.
        case violation(Irregularity)
    }

    package var id: ID
    package var outcome: Outcome
    /// Whether the response counts as an error, even if its error object cannot be read.
    package var isError: Bool
    /// The error object, even if the outcome is a violation. `nil` if there is none or it cannot be read.
    package var error: ErrorObject?
    /// The irregularities that the session reports as events.
    package var reported: IrregularitySet
    /// Whether the session closes the connection after it has handled this response.
    package var closesConnection: Bool
}

extension MessageReader {
    /// Reads a message of the kind ``Kind/response``.
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

    /// Reads an error object. If `found` receives an irregularity without a reading, the returned object must not be
    /// used.
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
            case "data": error.data = RawJSON(unchecked: value.bytes.detached(from: range.count))
            default: break
            }
        }
        if !hasCode { found.insert(.missingErrorCode) }
        if !hasMessage { found.insert(.missingErrorMessage) }
        return error
    }

    /// A message that escapes half of a surrogate pair fits no `String`, so it keeps its escapes.
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
        // `Double` accepts more texts than JSON numbers, but the only valid JSON values among them are numbers.
        if !value.isString, let number = Double(text), let code = Int(exactly: number.rounded(.towardZero)) {
            found.insert(.fractionalErrorCode)
            return ErrorObject.Code(rawValue: code)
        }
        found.insert(.missingErrorCode)
        return 0
    }

    /// Returns the code's text if dropping its fraction changed the value; `nil` otherwise.
    private func writtenCode(_ value: RawJSON, _ code: ErrorObject.Code, _ found: IrregularitySet) -> String? {
        guard found.contains(.fractionalErrorCode), Double(value.text) != Double(code.rawValue) else { return nil }
        return value.excerpt(upTo: 40)
    }
}

extension RawJSON {
    fileprivate var isString: Bool { bytes.first == UInt8(ascii: "\"") }
}
