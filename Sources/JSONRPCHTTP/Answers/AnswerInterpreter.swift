// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import JSONRPCCore
import JSONRPCSession

/// Reads the answer to a POST.
struct AnswerInterpreter: Sendable {
    typealias Finding = AnswerFindings.Finding

    private let reader: AnswerReader
    /// Reads one element of an array.
    let elementReader: AnswerReader
    /// The limits for one element of an array.
    let elementLimits: JSONLimits
    private let allowsArrays: Bool
    let matching: ResponseMatching
    private let acceptedContentTypes: Set<String>
    /// Whether somebody wants to know of irregularities.
    let findsIrregularities: Bool

    init(_ configuration: SessionConfiguration, _ options: JSONRPCHTTPOptions) {
        let (strictness, version) = (configuration.strictness, configuration.version.inbound)
        let limits = configuration.jsonLimits
        // The array around an element is one level.
        elementLimits = JSONLimits(maximumDepth: limits.maximumDepth - 1)
        allowsArrays = limits.maximumDepth > 0
        reader = AnswerReader(strictness: strictness, version: version, limits: limits)
        elementReader = AnswerReader(strictness: strictness, version: version, limits: elementLimits)
        matching = ResponseMatching(strictness: strictness)
        acceptedContentTypes = options.acceptedContentTypes
        findsIrregularities = options.observe != nil
    }

    /// Whether an answer can be read element by element if it is an array.
    func readsArray(_ response: HTTPResponse, for post: Post) -> Bool {
        guard allowsArrays, post.requests.count > 1, post.expectsResponse else { return false }
        return response.status.kind != .successful || accepts(response.headerFields[.contentType])
    }

    /// Returns the outcomes of the members of a POST, and the irregularities of the answer.
    func interpret(_ response: HTTPResponse, _ body: [UInt8], for post: Post) -> (PostOutcome, [Finding]) {
        let answer = HTTPAnswer(response: response, bodyBeginning: Array(body.prefix(HTTPAnswer.bodyBeginningBytes)))
        guard post.expectsResponse else { return (interpretNotifications(answer, body, post), []) }
        let isSuccess = response.status.kind == .successful
        if isSuccess, !accepts(response.headerFields[.contentType]), !Self.isBlank(body) {
            return (failure(.contentType(answer), post), [])
        }
        let reading: AnswerReader.Reading
        do {
            reading = try reader.reading(of: body)
        } catch {
            if readsArray(response, for: post), body.first(where: { !Self.isBlank($0) }) == UInt8(ascii: "[") {
                // The elements before the fault count.
                var array = ArrayAnswer(self, response, for: post)
                _ = array.add(body[...])
                return array.end()
            }
            if !isSuccess { return (failure(.status(answer), post), []) }
            return (PostOutcome(.failed(error), of: post.requests, answer: answer), [])
        }
        let findings = findsIrregularities ? findings(reading, post) : []
        if !isSuccess, !answersAny(reading, post) { return (failure(.status(answer), post), findings) }
        return (outcome(reading, answer, body, post), findings)
    }

    private func failure(_ error: JSONRPCHTTPError, _ post: Post) -> PostOutcome {
        PostOutcome(.failed(ClientError(error)), of: post.requests)
    }

    private func outcome(
        _ reading: AnswerReader.Reading, _ answer: HTTPAnswer, _ body: [UInt8], _ post: Post
    ) -> PostOutcome {
        // The usual answer to a single call.
        if reading.responses.count == 1, post.requests.count == 1, let response = reading.responses.first,
            let request = post.requests.first, let id = response.id, id == request.id
        {
            let outcome = response.outcome.mapError { $0.naming(request).coming(from: HTTPAnswerOrigin(answer)) }
            return PostOutcome(outcomes: [outcome], answer: answer)
        }
        let origin = HTTPAnswerOrigin(answer)
        var received = reading.responses.isEmpty && reading.strangers == 0 ? nil : body
        // The answer to a batch is not kept as a whole if it is read while it arrives.
        if post.requests.count > 1, received != nil { received = answer.bodyBeginning }
        let outcomes = matching.outcomes(for: post.requests, in: reading.responses, received: received)
            .map { $0?.mapError { $0.coming(from: origin) } }
        var whole: CallError?
        if !reading.isArray || reading.responses.count == 1, let only = reading.responses.first, only.id == nil,
            case .failure(let failure) = only.outcome
        {
            whole = failure.coming(from: origin)
        }
        return PostOutcome(outcomes: outcomes, answer: answer, wholeFailure: whole)
    }

    /// Notifications get no response. A body is ignored, except an error for the whole message.
    private func interpretNotifications(_ answer: HTTPAnswer, _ body: [UInt8], _ post: Post) -> PostOutcome {
        let reading = try? reader.reading(of: body)
        if let reading, !reading.isArray, case .failure(.answered(let error))? = reading.responses.first?.outcome {
            return PostOutcome(.answered(error), of: post.requests, answer: answer)
        }
        if answer.status.kind != .successful { return failure(.status(answer), post) }
        return PostOutcome(outcomes: post.requests.map { _ in nil }, answer: answer)
    }

    /// Whether an answer holds a response to any member, or an error without an id.
    private func answersAny(_ reading: AnswerReader.Reading, _ post: Post) -> Bool {
        let outcomes = matching.outcomes(for: post.requests, in: reading.responses, received: nil)
        return outcomes.contains { outcome in
            switch outcome {
            case .success?, .failure(.answered)?: true
            case .failure(let error)?: error.clientError?.code != .missingResponse
            case nil: false
            }
        }
    }

    private func findings(_ reading: AnswerReader.Reading, _ post: Post) -> [Finding] {
        if reading.strangers == 0, !reading.isArray, reading.responses.first?.id != nil, post.requests.count == 1,
            reading.responses.first?.id == post.requests.first?.id
        {
            return []
        }
        var findings = AnswerFindings(post.requests)
        for response in reading.responses { findings.note(response) }
        findings.noteStrangers(reading.strangers)
        return findings.list
    }

    /// Whether a media type is accepted. Its parameters are ignored (RFC 9110 §8.3.1).
    private func accepts(_ contentType: String?) -> Bool {
        guard let contentType, !acceptedContentTypes.contains(contentType) else { return true }
        let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
        return type.isEmpty || acceptedContentTypes.contains(String(decoding: type, as: UTF8.self).lowercased())
    }

    private static func isBlank(_ body: [UInt8]) -> Bool { body.allSatisfy { isBlank($0) } }

    /// Whether a byte is white space (RFC 8259 §2).
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}
