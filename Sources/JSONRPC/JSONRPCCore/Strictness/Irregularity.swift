// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A deviation of a message from JSON-RPC 2.0, or from the state of the session.
///
/// Most irregularities have a documented reading: how the session uses the message if the ``Strictness`` allows it. A
/// message without a reading (``hasReading`` is `false`) is never used: it fails at least the call that it names.
public enum Irregularity: UInt8, Sendable, Hashable, CaseIterable {
    // MARK: Messages as a whole

    /// The message is not UTF-8, which text messages (RFC 6455 §8.1) and JSON (RFC 8259 §8.1) must be. No reading.
    case invalidUTF8
    /// The message is UTF-8 but not JSON (RFC 8259), or nests too deeply. No reading.
    case malformedJSON
    /// The message is empty or consists of white space. Reading: it is ignored.
    case emptyMessage
    /// The message is binary (RFC 6455 §5.6). Reading: it is read as text.
    case binaryMessage
    /// The message is JSON, but neither an object nor an array of objects; or it is an object that is neither a request
    /// nor a response. No reading.
    case notAMessage
    /// The message is an array without members (JSON-RPC 2.0 §6). No reading.
    case emptyBatch
    /// An array holds more requests and notifications than the session's limit for arrays, or more members than the
    /// session reads. Reading: its responses and notifications are used, and one error answers all its requests.
    /// Streams of notifications show a gap in place of members that were not read.
    case oversizedBatch
    /// The message has no `jsonrpc` member, and ``VersionMember`` requires it. Reading: the version is taken to be
    /// "2.0". ``Strictness/standard`` accepts and reports it.
    case missingVersion
    /// The `jsonrpc` member is not the string "2.0". Reading: the version is taken to be "2.0".
    ///
    /// ``Strictness/standard`` accepts and reports it, so a session can use the answers of a peer that sends
    /// `"jsonrpc":"1.0"`. To refuse them, set the reaction to ``Strictness/Reaction/failCall``;
    /// ``ClientError/receivedVersion`` then holds the version.
    case wrongVersion
    /// One of JSON-RPC's members is repeated. Reading: the last one wins.
    case duplicateMembers
    /// The message has members that JSON-RPC does not define. Reading: they are ignored.
    case extraMembers

    // MARK: Responses

    /// A response has both `result` and `error`, and neither is `null`. Reading: the error wins.
    case bothResultAndError
    /// A response has both `result` and `error`, and at least one of them is `null`, as in JSON-RPC 1.0. Reading: the
    /// member that is not `null` wins; if both are `null`, `result` wins.
    case nullResultOrError
    /// A response has neither `result` nor `error`, or only an `error` that is `null`. Reading: the result is `null`.
    case neitherResultNorError
    /// A response has a `method` member. Reading: the member is ignored.
    case methodInResponse
    /// A response has no `id`. Reading: the id is taken to be `null`.
    case missingResponseID
    /// A response has the id `null`: the peer could not read a request, and does not identify it. Reading: an error may
    /// answer a call or a batch, see ``callAnsweredWithoutID`` and ``batchAnsweredByError``. A result answers no call.
    case nullResponseID
    /// The member `id` is repeated, so the message cannot be assigned to a call. No reading.
    case duplicateID
    /// The id is a number with a fraction, an exponent or too many digits, a boolean, an array, an object, or a string
    /// that escapes half of a surrogate pair. No reading. In a request, such numbers and strings are regular: the
    /// answer repeats them unchanged.
    case invalidID
    /// A response has a string as its id, and the request had a number with the same digits. Reading: it answers that
    /// request.
    case stringForNumberID
    /// A response has a number as its id, and the request had a string with the same digits. Reading: it answers that
    /// request.
    case numberForStringID
    /// A response has an id that was never issued, or whose call ended so long ago that the id is no longer remembered.
    /// Reading: the response is ignored.
    case unknownResponse
    /// A response arrived after its call was cancelled or timed out. Reading: the response is ignored.
    case lateResponse
    /// A call got a second response, in the same array or later. Reading: the first response wins.
    case duplicateResponse
    /// An error without a usable id arrived outside of an array, while one batch and nothing else was in flight, and
    /// no call of that batch had been answered. Reading: it answers every call of that batch, and
    /// ``ErrorObject/isAttributed`` is set. The exceptions of ``callAnsweredWithoutID`` apply.
    case batchAnsweredByError
    /// An error without a usable id arrived while exactly one call was in flight. Servers send such errors if they do
    /// not accept the `jsonrpc` member or the type of the id. Reading: it answers that call, and
    /// ``ErrorObject/isAttributed`` is set.
    ///
    /// The error answers no call if it can belong to something else:
    ///
    /// - A call was cancelled or timed out after it was sent, and its response has not arrived.
    /// - This side sent a notification, and no later call has ended. Some servers answer notifications with such
    ///   errors.
    /// - The error is in an array with the responses of another batch, or with other errors without a usable id.
    /// - It arrives together with the answer to a liveness probe.
    ///
    /// Then it is reported as ``nullResponseID``, and calls that time out name it in their error.
    case callAnsweredWithoutID

    // MARK: Error objects

    /// The `error` member is not an object. No reading.
    case malformedError
    /// The error object has no `code`, or its code is neither a number nor in the range of `Int`. No reading.
    case missingErrorCode
    /// The code is a string that holds an integer. Reading: the code is that integer.
    case errorCodeAsString
    /// The code is written with a fraction or an exponent, and its value lies in the range of `Int`. Reading: the code
    /// is that value, rounded toward zero. The description of the error shows a fraction.
    case fractionalErrorCode
    /// The error object has no `message`, or its message is not a string. Reading: the message is empty, or the JSON
    /// text of the member, shortened.
    case missingErrorMessage

    // MARK: Requests and notifications from the peer

    /// The `method` member is not a string, or escapes half of a surrogate pair. No reading.
    case invalidMethod
    /// The id of a request is `null`. Reading: the request is answered with the id `null`.
    case nullRequestID
    /// `params` is `null`. Reading: there are no params.
    case nullParams
    /// `params` is a string, a number or a boolean (JSON-RPC 2.0 §4.2). Reading: the handler gets the value.
    case unstructuredParams
    /// A request has the id of an earlier request that has not been answered. Reading: both requests are served.
    case duplicateRequestID

    /// Whether a message with this irregularity can be used. The documentation of each case describes the reading.
    public var hasReading: Bool {
        switch self {
        case .invalidUTF8, .malformedJSON, .notAMessage, .emptyBatch, .duplicateID, .invalidID, .malformedError,
            .missingErrorCode, .invalidMethod:
            false
        case .emptyMessage, .binaryMessage, .oversizedBatch, .missingVersion, .wrongVersion, .duplicateMembers,
            .extraMembers, .bothResultAndError, .nullResultOrError, .neitherResultNorError, .methodInResponse,
            .missingResponseID, .nullResponseID, .stringForNumberID, .numberForStringID, .unknownResponse,
            .lateResponse, .duplicateResponse, .batchAnsweredByError, .callAnsweredWithoutID, .errorCodeAsString,
            .fractionalErrorCode, .missingErrorMessage, .nullRequestID, .nullParams, .unstructuredParams,
            .duplicateRequestID:
            true
        }
    }
}

extension Irregularity: CustomStringConvertible {
    /// The irregularity as a noun phrase that completes the sentence "The peer sent …".
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
        case .extraMembers: "a message with members that JSON-RPC does not define"
        case .bothResultAndError: "a response with both result and error"
        case .nullResultOrError: "a response with both result and error, one of them null"
        case .neitherResultNorError: "a response with neither result nor error"
        case .methodInResponse: "a response with a method member"
        case .missingResponseID: "a response without an id"
        case .nullResponseID: "a response with the id null"
        case .duplicateID: "a message with two ids"
        case .invalidID: "a message whose id is neither an integer nor a string"
        case .stringForNumberID: "a response with a string as its id, although the request had a number"
        case .numberForStringID: "a response with a number as its id, although the request had a string"
        case .unknownResponse: "a response whose id belongs to no known request"
        case .lateResponse: "a response to a call that had already ended"
        case .duplicateResponse: "a second response to one call"
        case .batchAnsweredByError: "one error for a whole batch"
        case .callAnsweredWithoutID: "an error without a usable id while one call was in flight"
        case .malformedError: "a response whose error is not an object"
        case .missingErrorCode: "an error without a usable code"
        case .errorCodeAsString: "an error whose code is a string"
        case .fractionalErrorCode: "an error whose code is written with a fraction or an exponent"
        case .missingErrorMessage: "an error without a message that is a string"
        case .invalidMethod: "a request whose method is not a string"
        case .nullRequestID: "a request with the id null"
        case .nullParams: "a request whose params are null"
        case .unstructuredParams: "a request whose params are neither an array nor an object"
        case .duplicateRequestID: "a request with the id of an earlier request that has not been answered"
        }
    }
}

/// The irregularities found in one message.
public struct IrregularitySet: Sendable, Hashable {
    // One bit for each irregularity, so that a regular message costs nothing.
    private var bits: UInt64 = 0

    public init() {}

    /// Whether the message is regular.
    public var isEmpty: Bool { bits == 0 }

    /// Returns whether the irregularity is in the set.
    public func contains(_ irregularity: Irregularity) -> Bool { bits & Self.bit(irregularity) != 0 }

    /// Adds an irregularity.
    public mutating func insert(_ irregularity: Irregularity) { bits |= Self.bit(irregularity) }

    /// The irregularities, in the order in which ``Irregularity`` declares them.
    public var elements: [Irregularity] { isEmpty ? [] : Irregularity.allCases.filter(contains) }

    private static func bit(_ irregularity: Irregularity) -> UInt64 { 1 << UInt64(irregularity.rawValue) }
}

extension IrregularitySet: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Irregularity...) {
        for element in elements { insert(element) }
    }
}

extension IrregularitySet: CustomStringConvertible {
    public var description: String { elements.map(\.description).joined(separator: "; ") }
}
