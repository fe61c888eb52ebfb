// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCCore
import JSONRPCSession
import WireJSON

/// Reads the body of the answer to a POST, from its pieces to the outcomes of the members.
///
/// An array of responses to a batch is read element by element while it arrives. Memory then holds the element that is
/// not complete, and the outcomes that were not passed on. Other bodies are kept until their end, up to a limit, and so
/// is an array that arrives in one piece, because reading it whole costs less. A response that is an object is treated
/// as an array of one element. Each outcome depends only on the bytes up to the end of its element, not on the pieces.
struct ResponseBodyReader: ~Copyable {
    typealias Outcome = Result<RawJSON, CallError>
    /// An irregularity, and the number of members of the answer that have it.
    typealias Finding = (irregularity: Irregularity, count: Int)
    /// Gets the outcome of the member at a place of the POST, and the answer as far as it has arrived. Returns whether
    /// the outcome was passed on.
    typealias Offer = (_ place: Int, _ outcome: Outcome, _ origin: HTTPAnswerOrigin) -> Bool

    /// The reason why the body has no further bytes.
    private enum Ending {
        case complete
        case tooLarge(limit: Int)
        case interrupted(any Error)
    }

    private let rules: Rules
    private let post: Post
    private let limit: Int
    private let length: Int64?
    /// `nil` when outcomes are no longer passed on.
    private var offer: Offer?
    /// The places of the members by id. Empty for a single member.
    private var places: [RequestID: Int] = [:]

    private(set) var count = 0
    /// Whether a byte other than white space has arrived.
    private var hasBegun = false
    /// Whether the first of these bytes begins an array that can be read element by element.
    private var isArray = false
    private(set) var body: [UInt8] = []
    /// Splits an array that is read element by element; `nil` for a body that is kept until its end.
    private(set) var splitter: JSONElementSplitter?
    private var ending = Ending.complete
    /// The reason why the bytes are not an array.
    private var fault: (any Error)?

    /// The answer as far as it has arrived.
    private var answer: HTTPAnswer { didSet { sharedOrigin = nil } }
    /// The answer as an object, to which each outcome refers; `nil` as long as no outcome needs it.
    private var sharedOrigin: HTTPAnswerOrigin?
    /// The outcomes that were not passed on.
    private var outcomes: [Outcome?]
    private var isAnswered: [Bool]
    private var answeredCount = 0
    private var responseCount = 0
    /// The number of members of an array that are not responses.
    private var strangerCount = 0
    /// The first error without an id.
    private var nameless: ResponseObject?
    /// Whether one of these errors is regular, so that it concerns the whole message.
    private var hasNamelessError = false
    private var irregularities: [Irregularity: Int] = [:]

    /// - Parameter length: The number of bytes that the server has announced.
    init(
        _ rules: Rules, _ response: HTTPResponse, for post: Post, limit: Int, length: Int64?, offer: Offer? = nil
    ) {
        self.rules = rules
        self.post = post
        self.limit = limit
        self.length = length
        self.offer = offer
        if post.requests.count > 1 {
            for (place, request) in post.requests.enumerated() {
                if let id = request.id { places[id] = place }
            }
        }
        answer = HTTPAnswer(response: response)
        outcomes = Array(repeating: nil, count: post.requests.count)
        isAnswered = Array(repeating: false, count: post.requests.count)
    }

    private mutating func origin() -> HTTPAnswerOrigin {
        if let sharedOrigin { return sharedOrigin }
        let origin = HTTPAnswerOrigin(answer)
        sharedOrigin = origin
        return origin
    }

    // MARK: Pieces

    /// Adds a piece of the body. Returns `false` if no further piece is needed.
    mutating func add(_ piece: ArraySlice<UInt8>) -> Bool {
        // The bytes up to the limit are read, so that the outcomes do not depend on the pieces.
        let part = piece.prefix(max(0, limit - count))
        count += part.count
        let isWithinLimit = part.count == piece.count
        if !isWithinLimit { ending = .tooLarge(limit: limit) }
        if splitter != nil { return split(part) && isWithinLimit }
        // Most bodies are one piece, which is not copied.
        if body.isEmpty { body = Array(part) } else { body += part }
        if !hasBegun, let first = part.first(where: { !Self.isBlank($0) }) {
            return begin(with: first) && isWithinLimit
        }
        return isWithinLimit
    }

    private mutating func begin(with first: UInt8) -> Bool {
        hasBegun = true
        isArray =
            first == UInt8(ascii: "[") && rules.allowsArrays && post.requests.count > 1 && post.expectsResponse
        if isArray, length != Int64(body.count) {
            defer { body = [] }
            return split(body[...])
        }
        if let length { body.reserveCapacity(Int(clamping: min(length, Int64(clamping: limit), 1 << 20))) }
        return true
    }

    /// Reads the elements of an array that a piece completes. Returns `false` if the array is malformed.
    private mutating func split(_ piece: ArraySlice<UInt8>) -> Bool {
        let room = HTTPAnswer.bodyBeginningBytes - answer.bodyBeginning.count
        if room > 0 { answer.bodyBeginning += piece.prefix(room) }
        var splitter =
            self.splitter.take()
            ?? JSONElementSplitter(framing: .array, limits: rules.elementLimits, maximumValueSize: .max)
        var elements: [RawJSON] = []
        do { try splitter.append(piece) { elements.append($0) } } catch { fault = error }
        self.splitter = splitter
        for element in elements {
            // A reader would accept an array within the array.
            if element.bytes.first == UInt8(ascii: "{"),
                let response = try? rules.elementReader.responses(in: Array(element.bytes)).first
            {
                take(response)
            } else {
                strangerCount += 1
            }
        }
        return fault == nil
    }

    mutating func interrupt(_ error: any Error) { ending = .interrupted(error) }

    // MARK: Responses

    private mutating func take(_ response: ResponseObject) {
        responseCount += 1
        guard let id = response.id else {
            irregularities[.nullResponseID, default: 0] += 1
            if nameless == nil, case .failure = response.outcome { nameless = response }
            if response.error != nil { hasNamelessError = true }
            return
        }
        // The closure uses these, because it would copy the whole reader.
        let (requests, places) = (post.requests, places)
        let match = rules.matching.match(id, response.outcome) { id in
            if requests.count == 1 { return requests[0].id == id ? 0 : nil }
            return places[id]
        }
        guard let (place, matched) = match else {
            irregularities[.unknownResponse, default: 0] += 1
            return
        }
        if isAnswered[place] {
            irregularities[.duplicateResponse, default: 0] += 1
            return
        }
        answeredCount += 1
        isAnswered[place] = true
        let request = post.requests[place]
        var outcome = matched
        if case .failure(let failure) = outcome {
            outcome = .failure(failure.naming(request).coming(from: origin()))
        }
        if let offer, offer(place, outcome, origin()) { return }
        outcomes[place] = outcome
    }

    // MARK: The end

    /// Returns the outcomes that were not passed on, and the irregularities of the answer.
    ///
    /// - Throws: ``JSONRPCHTTPError/answerTooLarge(_:limit:)`` or ``JSONRPCHTTPError/interrupted(_:_:)`` for a body
    ///   other than an array.
    mutating func end() throws(JSONRPCHTTPError) -> (PostOutcome, [Finding]) {
        let outcome = if let whole = try readWhole() { whole } else { readOutcome() }
        if strangerCount > 0 { irregularities[.notAMessage, default: 0] += strangerCount }
        return (outcome, irregularities.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) })
    }

    /// Reads a body that was kept. Returns an outcome if it holds no responses to calls.
    private mutating func readWhole() throws(JSONRPCHTTPError) -> PostOutcome? {
        guard splitter == nil else { return nil }
        offer = nil
        answer.bodyBeginning = Array(body.prefix(HTTPAnswer.bodyBeginningBytes))
        switch ending {
        case .tooLarge(let limit) where !isArray: throw .answerTooLarge(answer, limit: limit)
        case .interrupted(let error) where !isArray: throw .interrupted(answer, error)
        case .tooLarge, .interrupted: return splitWhole()
        case .complete: break
        }
        guard post.expectsResponse else { return notificationOutcome() }
        do {
            let reading = try rules.reader.reading(of: body)
            for response in reading.responses { take(response) }
            strangerCount = reading.strangers
            return nil
        } catch {
            if isArray { return splitWhole() }
            let failure = Self.refusal(answer).map { ClientError($0) } ?? error
            return PostOutcome(.failed(failure), of: post.requests, answer: answer)
        }
    }

    /// Reads an array that was kept element by element, because the elements before its fault count.
    private mutating func splitWhole() -> PostOutcome? {
        answer.bodyBeginning = []
        _ = split(body[...])
        return nil
    }

    /// Returns the outcome of notifications alone. The body is ignored, except an error for the whole message.
    private func notificationOutcome() -> PostOutcome {
        let reading = try? rules.reader.reading(of: body)
        if let reading, !reading.isArray, let error = reading.responses.first?.error {
            return PostOutcome(.answered(error), of: post.requests, answer: answer)
        }
        if answer.status.kind != .successful {
            return PostOutcome(.failed(ClientError(.status(answer))), of: post.requests)
        }
        return PostOutcome(outcomes: post.requests.map { _ in nil }, answer: answer)
    }

    private mutating func readOutcome() -> PostOutcome {
        if case .complete = ending, fault == nil {
            do { try splitter?.finish { _ in } } catch { fault = error }
        }
        if let failure = incompleteness() { return failed(failure) }
        let isEmpty = !hasBegun && answer.status.kind == .successful
        if holdsNoResponse, !isEmpty, let refusal = Self.refusal(answer) { return failed(ClientError(refusal)) }
        if splitter != nil, responseCount == 0, strangerCount == 0 {
            return failed(.violation(.emptyBatch, received: answer.bodyBeginning))
        }
        settleUnanswered()
        var whole: CallError?
        if responseCount == 1, case .failure(let failure)? = nameless?.outcome {
            whole = failure.coming(from: origin())
        }
        return PostOutcome(outcomes: outcomes, answer: answer, wholeFailure: whole)
    }

    /// Whether neither a response with the id of a member nor an error object without an id has arrived.
    ///
    /// An irregular response without an id does not count, because gateways send JSON such as `{"error":"blocked"}`.
    private var holdsNoResponse: Bool { answeredCount == 0 && !hasNamelessError }

    /// Returns the failure of the members without a response; `nil` if the body is complete.
    private func incompleteness() -> ClientError? {
        var failure: ClientError
        switch ending {
        case _ where fault != nil:
            // The bytes before the fault decide, whatever follows.
            let refusal = Self.refusal(answer)
            if let refusal, answer.status.kind != .successful || holdsNoResponse { return ClientError(refusal) }
            let isInvalidUTF8 = (fault as? JSONElementSplitter.Failure)?.reason == .syntax(.invalidUTF8)
            failure = .violation(
                isInvalidUTF8 ? .invalidUTF8 : .malformedJSON, cause: fault, received: answer.bodyBeginning)
        case .interrupted(let error): failure = ClientError(.interrupted(answer, error))
        case .tooLarge(let limit): failure = ClientError(.answerTooLarge(answer, limit: limit))
        case .complete: return nil
        }
        // The response may have been in the rest.
        failure.delivery = .outcomeUnknown
        return failure
    }

    /// Returns a failure as the outcome of each member without a response. Notifications have failed with it only if no
    /// member was answered.
    private mutating func failed(_ failure: ClientError) -> PostOutcome {
        if answeredCount == 0 { return PostOutcome(.failed(failure), of: post.requests, answer: answer) }
        let common = CallError.failed(failure).coming(from: origin())
        for (place, request) in post.requests.enumerated() where !isAnswered[place] && !request.isNotification {
            outcomes[place] = .failure(common.naming(request))
        }
        return PostOutcome(outcomes: outcomes, answer: answer)
    }

    /// Sets the outcomes of the members without a response, after the whole answer was read.
    private mutating func settleUnanswered() {
        // Usually every call is answered, and nothing is left to match.
        let rest = post.requests.indices.filter {
            !isAnswered[$0] && (answeredCount == 0 || !post.requests[$0].isNotification)
        }
        if rest.isEmpty { return }
        // The rule for an error without an id depends on whether it is the only response to several requests.
        let tail = nameless.map { Array(repeating: $0, count: min(2, responseCount)) } ?? []
        // The answer to a batch is not kept as a whole if it is read while it arrives.
        let received = post.requests.count > 1 ? answer.bodyBeginning : body
        let matched = rules.matching.outcomes(
            for: rest.map { post.requests[$0] }, in: tail, received: hasBegun ? received : nil)
        let origin = origin()
        for (place, outcome) in zip(rest, matched) { outcomes[place] = outcome?.mapError { $0.coming(from: origin) } }
    }
}
