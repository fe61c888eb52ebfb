// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes

/// Takes the body of an answer in pieces, up to a limit.
///
/// An array of responses to a batch is read while it arrives. Other bodies are kept until their end, and so is an array
/// that arrives in one piece, because reading it whole costs less. The outcomes do not depend on the pieces.
struct AnswerIntake {
    private let interpreter: AnswerInterpreter
    private let response: HTTPResponse
    private let post: Post
    private let limit: Int
    private let length: Int64?
    private let offer: ArrayAnswer.Offer
    /// Whether the body is read while it arrives if it is an array.
    private let readsArrays: Bool
    /// Whether a byte other than white space has arrived.
    private var hasBegun = false
    /// Whether the first of these bytes begins an array that is read in pieces.
    private var isArray = false
    private var body: [UInt8] = []
    private var array: ArrayAnswer?
    private var ending = BodyEnding.complete
    /// The number of bytes that were read.
    private(set) var count = 0

    /// Makes an intake.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes.
    ///   - length: The number of bytes that the server has announced.
    ///   - offer: Gets outcomes before the end of the body.
    init(
        _ interpreter: AnswerInterpreter, _ response: HTTPResponse, for post: Post, limit: Int, length: Int64?,
        offer: @escaping ArrayAnswer.Offer = { _, _, _ in false }
    ) {
        self.interpreter = interpreter
        self.response = response
        self.post = post
        self.limit = limit
        self.length = length
        self.offer = offer
        readsArrays = interpreter.readsArray(for: post)
    }

    /// Adds a piece of the body. Returns `false` if no further piece is needed.
    mutating func add(_ piece: ArraySlice<UInt8>) -> Bool {
        // The bytes up to the limit are read, so that the outcomes do not depend on the pieces.
        let part = piece.prefix(max(0, limit - count))
        count += part.count
        let isWithinLimit = part.count == piece.count
        if !isWithinLimit { ending = .tooLarge(limit: limit) }
        if let isReadable = array?.add(part) { return isReadable && isWithinLimit }
        body += part
        if !hasBegun, let first = part.first(where: { !AnswerInterpreter.isBlank($0) }) {
            return begin(with: first) && isWithinLimit
        }
        return isWithinLimit
    }

    private mutating func begin(with first: UInt8) -> Bool {
        hasBegun = true
        isArray = readsArrays && first == UInt8(ascii: "[")
        if isArray, length != Int64(body.count) {
            var array = ArrayAnswer(interpreter, response, for: post, offer: offer)
            let isReadable = array.add(body[...])
            self.array = array
            body = []
            return isReadable
        }
        if let length { body.reserveCapacity(Int(clamping: min(length, Int64(clamping: limit), 1 << 20))) }
        return true
    }

    /// Ends the body early.
    mutating func interrupt(_ error: any Error) { ending = .interrupted(error) }

    /// Returns the outcomes that were not passed on, and the irregularities of the answer.
    ///
    /// - Throws: ``JSONRPCHTTPError/answerTooLarge(_:limit:)`` or ``JSONRPCHTTPError/interrupted(_:_:)`` for a body
    ///   other than an array.
    mutating func end() throws(JSONRPCHTTPError) -> (PostOutcome, [AnswerFindings.Finding]) {
        if let end = array?.end(ending) { return end }
        if case .complete = ending { return interpreter.interpret(response, body, for: post) }
        if isArray {
            var array = ArrayAnswer(interpreter, response, for: post)
            _ = array.add(body[...])
            return array.end(ending)
        }
        let answer = HTTPAnswer(response: response, bodyBeginning: Array(body.prefix(HTTPAnswer.bodyBeginningBytes)))
        switch ending {
        case .tooLarge(let limit): throw .answerTooLarge(answer, limit: limit)
        case .interrupted(let error): throw .interrupted(answer, error)
        case .complete: return interpreter.interpret(response, body, for: post)
        }
    }
}
