// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A way in which a message from the peer departs from JSON-RPC 2.0, or from the state of the session.
///
/// Most have a documented reading: the way in which the message is understood if the ``Strictness`` accepts it. A message
/// without a reading (``hasReading`` is false) is never used: the call that it names, if any, fails.
public enum Irregularity: UInt8, Sendable, Hashable, CaseIterable {
    // MARK: Messages as a whole

    /// The message is not UTF-8, as a text message must be (RFC 6455 §8.1), and JSON in any message (RFC 8259 §8.1).
    /// No reading.
    case invalidUTF8
    /// The message is UTF-8 but not JSON (RFC 8259), or nests too deeply. No reading.
    case malformedJSON
    /// The message has no bytes, or white space alone. Reading: nothing was said.
    case emptyMessage
    /// The message is binary (RFC 6455 §5.6). Reading: as text.
    case binaryMessage
    /// JSON, but neither an object nor an array of objects; or an object that is neither request nor response. No
    /// reading.
    case notAMessage
    /// An array without members (JSON-RPC 2.0 §6). No reading.
    case emptyBatch
    /// An array holds more requests and notifications than the session's limit for arrays allows, or more members than
    /// the session reads. Reading: its responses and notifications are taken, and all its requests are answered with one error.
    /// Where members were not read, streams of notifications show a gap.
    case oversizedBatch
    /// The message has no `jsonrpc` member though one is required. Reading: as if it said "2.0".
    /// ``Strictness/standard`` accepts and reports it.
    case missingVersion
    /// The `jsonrpc` member is not the string "2.0". Reading: as if it said "2.0".
    ///
    /// ``Strictness/standard`` accepts and reports it, so a peer that answers with `"jsonrpc":"1.0"` is understood. To
    /// refuse it, set the reaction to ``Strictness/Reaction/failCall``; ``ClientError/receivedVersion`` then holds the
    /// version found.
    case wrongVersion
    /// One of the six members comes more than once. Reading: the last one counts.
    case duplicateMembers
    /// The message has members that JSON-RPC does not know. Reading: they are passed over.
    case extraMembers

    // MARK: Responses

    /// `result` and `error` are both there, and neither is `null`. Reading: the error counts.
    case bothResultAndError
    /// `result` and `error` are both there, and one or both are `null`, as in JSON-RPC 1.0. Reading: the one that is
    /// not `null` counts; of two, `result`.
    case nullResultOrError
    /// Neither `result` nor `error` is there, or `error` alone, and `null`. Reading: the result is `null`.
    case neitherResultNorError
    /// A response has a `method` member. Reading: it is passed over.
    case methodInResponse
    /// A response has no `id`. Reading: as if the id were `null`.
    case missingResponseID
    /// A response has the id `null`: the peer could not read one of our requests, and does not say which. Reading:
    /// an error may answer a call or a batch, see ``callAnsweredWithoutID`` and ``batchAnsweredByError``; a result
    /// answers none.
    case nullResponseID
    /// The member `id` itself comes more than once: the message belongs to no call for certain. No reading.
    case duplicateID
    /// The id is a number with a fraction, an exponent or too many digits, a boolean, an array, an object, or a string
    /// that escapes half of a surrogate pair. No reading. In a request, such numbers and strings are regular: they are
    /// echoed as they are.
    case invalidID
    /// A response answers a number id of ours with the same digits in a string. Reading: the id was meant.
    case stringForNumberID
    /// A response answers a string id of ours with a number of the same digits. Reading: the id was meant.
    case numberForStringID
    /// A response has an id that was never issued, or was settled too long ago to be remembered. Reading: it is
    /// passed over.
    case unknownResponse
    /// A response came after its call was settled by cancellation or timeout. Reading: it is passed over.
    case lateResponse
    /// A call in flight was answered twice in one batch, or again after its answer. Reading: the first one counts.
    case duplicateResponse
    /// An error without a usable id, not in an array, came while exactly one batch was in flight none of whose calls
    /// had been answered. Reading: it answers every call of that batch.
    case batchAnsweredByError
    /// An error without a usable id came while exactly one call was in flight. Servers answer so when they do not
    /// accept the `jsonrpc` member or the type of the id. Reading: it answers that call.
    ///
    /// An error that a peer sends along with the answer to a liveness probe answers no call.
    case callAnsweredWithoutID

    // MARK: Error objects

    /// The `error` member is not an object. No reading.
    case malformedError
    /// The error object has no `code`, or one which is no number. No reading: no code is invented.
    case missingErrorCode
    /// The code is a string that holds an integer. Reading: that integer.
    case errorCodeAsString
    /// The code is written with a fraction or an exponent, and its value lies in the range of `Int`. Reading: the
    /// value, rounded toward zero.
    case fractionalErrorCode
    /// The error object has no `message`, or one that is no string. Reading: an empty message.
    case missingErrorMessage

    // MARK: Requests and notifications from the peer

    /// The `method` member is not a string, or escapes half of a surrogate pair. No reading.
    case invalidMethod
    /// A request's id is `null`. Reading: it is answered with that id.
    case nullRequestID
    /// `params` is `null`. Reading: there are none.
    case nullParams
    /// `params` is a string, a number or a boolean (JSON-RPC 2.0 §4.2). Reading: the handler gets the value.
    case unstructuredParams
    /// A request has an id that an earlier request of the peer has, which is not answered yet. Reading: both are
    /// served.
    case duplicateRequestID

    /// Whether a message with this irregularity can still be used, in the way that the case documents.
    public var hasReading: Bool {
        switch self {
        case .invalidUTF8, .malformedJSON, .notAMessage, .emptyBatch, .duplicateID, .invalidID, .malformedError,
            .missingErrorCode,
            .invalidMethod:
            false
        case .emptyMessage, .binaryMessage, .oversizedBatch, .missingVersion, .wrongVersion, .duplicateMembers,
            .extraMembers,
            .bothResultAndError, .nullResultOrError, .neitherResultNorError, .methodInResponse, .missingResponseID,
            .nullResponseID, .stringForNumberID, .numberForStringID, .unknownResponse, .lateResponse,
            .duplicateResponse, .batchAnsweredByError, .callAnsweredWithoutID, .errorCodeAsString, .fractionalErrorCode,
            .missingErrorMessage,
            .nullRequestID, .nullParams, .unstructuredParams, .duplicateRequestID:
            true
        }
    }
}

extension Irregularity: CustomStringConvertible {
    /// A phrase that continues "The peer sent", such as "an empty message".
    public var description: String {
        switch self {
        case .invalidUTF8: "a message that is not UTF-8"
        case .malformedJSON: "a message that is not JSON"
        case .emptyMessage: "an empty message"
        case .binaryMessage: "a binary message"
        case .notAMessage: "JSON that is not a JSON-RPC message"
        case .emptyBatch: "an empty array"
        case .oversizedBatch: "an array with too many members"
        case .missingVersion: "a message without the jsonrpc member"
        case .wrongVersion: "a message whose jsonrpc member is not \"2.0\""
        case .duplicateMembers: "a message with the same member twice"
        case .extraMembers: "a message with members that JSON-RPC does not know"
        case .bothResultAndError: "a response with both result and error"
        case .nullResultOrError: "a response with both result and error, one of them null"
        case .neitherResultNorError: "a response with neither result nor error"
        case .methodInResponse: "a response with a method member"
        case .missingResponseID: "a response without an id"
        case .nullResponseID: "a response with the id null"
        case .duplicateID: "a message with two ids"
        case .invalidID: "a message whose id is neither an integer nor a string"
        case .stringForNumberID: "a response with a string where our request had a number as id"
        case .numberForStringID: "a response with a number where our request had a string as id"
        case .unknownResponse: "a response to an unknown request"
        case .lateResponse: "a response to a call that had already ended"
        case .duplicateResponse: "a second response to one call"
        case .batchAnsweredByError: "one error for a whole batch"
        case .callAnsweredWithoutID: "an error without a usable id while one call was in flight"
        case .malformedError: "a response whose error is not an object"
        case .missingErrorCode: "an error without a code"
        case .errorCodeAsString: "an error whose code is a string"
        case .fractionalErrorCode: "an error whose code is written with a fraction or an exponent"
        case .missingErrorMessage: "an error without a message"
        case .invalidMethod: "a request whose method is not a string"
        case .nullRequestID: "a request with the id null"
        case .nullParams: "a request whose params are null"
        case .unstructuredParams: "a request whose params are neither an array nor an object"
        case .duplicateRequestID: "a request with the id of an earlier one that is not answered yet"
        }
    }
}
