// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCCore
import JSONRPCSession
import WireJSON

/// The reason why the body of an answer has no further bytes.
enum BodyEnding {
    case complete
    case tooLarge(limit: Int)
    case interrupted(any Error)
}

/// Reads the answer to a batch, an array of responses, while it arrives.
///
/// Memory holds the element that is not complete, and the outcomes that were not passed on. Each outcome depends only on
/// the bytes up to the end of its element.
struct ArrayAnswer {
    typealias Outcome = Result<RawJSON, CallError>
    /// Gets the outcome of the member at a place of the POST, and the answer as far as it has arrived. Returns whether
    /// the outcome was passed on.
    typealias Offer = (_ place: Int, _ outcome: Outcome, _ origin: HTTPAnswerOrigin) -> Bool

    private let interpreter: AnswerInterpreter
    private let post: Post
    private let offer: Offer
    private let places: [RequestID: Int]
    private var splitter: JSONElementSplitter
    /// The answer as far as it has arrived. It is an object, because each outcome refers to it.
    private var origin: HTTPAnswerOrigin
    /// The reason why the bytes are not an array.
    private var fault: (any Error)?
    /// The outcomes that were not passed on.
    private var outcomes: [Outcome?]
    private var isAnswered: [Bool]
    private var answeredCount = 0
    private var responseCount = 0
    private var strangerCount = 0
    /// The first error without an id.
    private var nameless: ResponseObject?
    private var hasNamelessError = false
    private var findings: AnswerFindings?

    init(
        _ interpreter: AnswerInterpreter, _ response: HTTPResponse, for post: Post,
        offer: @escaping Offer = { _, _, _ in false }
    ) {
        self.interpreter = interpreter
        self.post = post
        self.offer = offer
        var places: [RequestID: Int] = [:]
        for (place, request) in post.requests.enumerated() {
            if let id = request.id { places[id] = place }
        }
        self.places = places
        splitter = JSONElementSplitter(framing: .array, limits: interpreter.elementLimits, maximumValueSize: .max)
        origin = HTTPAnswerOrigin(HTTPAnswer(response: response))
        outcomes = Array(repeating: nil, count: post.requests.count)
        isAnswered = Array(repeating: false, count: post.requests.count)
        findings = interpreter.findsIrregularities ? AnswerFindings(post.requests) : nil
    }

    private var answer: HTTPAnswer { origin.answer }

    // MARK: Elements

    /// Adds a piece of the body. Returns `false` if no further piece can be read, because the array is malformed.
    mutating func add(_ piece: ArraySlice<UInt8>) -> Bool {
        let room = HTTPAnswer.bodyBeginningBytes - answer.bodyBeginning.count
        if room > 0 {
            let beginning = answer.bodyBeginning + piece.prefix(room)
            origin = HTTPAnswerOrigin(HTTPAnswer(response: answer.response, bodyBeginning: beginning))
        }
        var elements: [RawJSON] = []
        do { try splitter.append(piece) { elements.append($0) } } catch { fault = error }
        for element in elements { take(element) }
        return fault == nil
    }

    private mutating func take(_ element: RawJSON) {
        // A reader would accept an array within the array.
        guard element.bytes.first == UInt8(ascii: "{"),
            let response = try? interpreter.elementReader.responses(in: Array(element.bytes)).first
        else {
            strangerCount += 1
            return
        }
        responseCount += 1
        findings?.note(response)
        guard let id = response.id else {
            if nameless == nil, case .failure = response.outcome { nameless = response }
            if response.isNamelessError { hasNamelessError = true }
            return
        }
        guard let place = places[id] ?? id.counterpart.flatMap({ places[$0] }), !isAnswered[place] else { return }
        answeredCount += 1
        isAnswered[place] = true
        var outcome = response.outcome
        if post.requests[place].id != id {
            // The rules for ids of the other type are those of the matching.
            outcome = interpreter.matching.outcome(of: post.requests[place], in: response)
        }
        if case .failure(let failure) = outcome {
            outcome = .failure(failure.naming(post.requests[place]).coming(from: origin))
        }
        if !offer(place, outcome, origin) { outcomes[place] = outcome }
    }

    // MARK: The end

    /// Returns the outcomes that were not passed on, and the irregularities of the answer.
    mutating func end(_ ending: BodyEnding = .complete) -> (PostOutcome, [AnswerFindings.Finding]) {
        if case .complete = ending, fault == nil {
            do { try splitter.finish { _ in } } catch { fault = error }
        }
        findings?.noteStrangers(strangerCount)
        let found = findings?.list ?? []
        if let failure = incompleteness(ending) { return (outcome(failure), found) }
        if holdsNoResponse, let refusal = AnswerInterpreter.refusal(answer) {
            return (outcome(ClientError(refusal)), found)
        }
        if responseCount == 0, strangerCount == 0 {
            return (outcome(.violation(.emptyBatch, received: answer.bodyBeginning)), found)
        }
        return (completeOutcome(), found)
    }

    /// Whether neither a response with the id of a member nor an error object without an id has arrived.
    private var holdsNoResponse: Bool { answeredCount == 0 && !hasNamelessError }

    /// Returns the failure of the members without a response; `nil` if the array is complete.
    private func incompleteness(_ ending: BodyEnding) -> ClientError? {
        var failure: ClientError
        switch ending {
        case _ where fault != nil:
            // The bytes before the fault decide, whatever follows.
            let refusal = AnswerInterpreter.refusal(answer)
            if let refusal, answer.status.kind != .successful || holdsNoResponse { return ClientError(refusal) }
            let isInvalidUTF8 = (fault as? JSONStreamError)?.reason == .syntax(.invalidUTF8)
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
    private func outcome(_ failure: ClientError) -> PostOutcome {
        if answeredCount == 0 { return PostOutcome(.failed(failure), of: post.requests, answer: answer) }
        let common = CallError.failed(failure).coming(from: origin)
        var outcomes = outcomes
        for (place, request) in post.requests.enumerated() where !isAnswered[place] && !request.isNotification {
            outcomes[place] = .failure(common.naming(request))
        }
        return PostOutcome(outcomes: outcomes, answer: answer)
    }

    private func completeOutcome() -> PostOutcome {
        var outcomes = outcomes
        // As a rule, every call is answered, and nothing is left to match.
        let rest = post.requests.indices.filter {
            !isAnswered[$0] && (answeredCount == 0 || !post.requests[$0].isNotification)
        }
        if !rest.isEmpty {
            // The rule for an error without an id depends on whether it is the only response to several requests.
            let tail = nameless.map { Array(repeating: $0, count: min(2, responseCount)) } ?? []
            let matched = interpreter.matching.outcomes(
                for: rest.map { post.requests[$0] }, in: tail, received: answer.bodyBeginning)
            for (place, outcome) in zip(rest, matched) {
                outcomes[place] = outcome?.mapError { $0.coming(from: origin) }
            }
        }
        var whole: CallError?
        if responseCount == 1, case .failure(let failure)? = nameless?.outcome { whole = failure.coming(from: origin) }
        return PostOutcome(outcomes: outcomes, answer: answer, wholeFailure: whole)
    }
}

extension ResponseMatching {
    /// Returns the outcome of a request whose id, or the counterpart of whose id, is that of a response.
    func outcome(of request: RequestObject, in response: ResponseObject) -> Result<RawJSON, CallError> {
        outcomes(for: [request], in: [response], received: nil)[0] ?? response.outcome
    }
}
