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
        findsIrregularities = options.observe != nil
    }

    /// Whether an answer can be read element by element if it is an array.
    func readsArray(for post: Post) -> Bool {
        allowsArrays && post.requests.count > 1 && post.expectsResponse
    }

    /// Returns the outcomes of the members of a POST, and the irregularities of the answer.
    func interpret(_ response: HTTPResponse, _ body: [UInt8], for post: Post) -> (PostOutcome, [Finding]) {
        let answer = HTTPAnswer(response: response, bodyBeginning: Array(body.prefix(HTTPAnswer.bodyBeginningBytes)))
        guard post.expectsResponse else { return (interpretNotifications(answer, body, post), []) }
        let refusal = Self.isBlank(body) && response.status.kind == .successful ? nil : Self.refusal(answer)
        let reading: AnswerReader.Reading
        do {
            reading = try reader.reading(of: body)
        } catch {
            if readsArray(for: post), body.first(where: { !Self.isBlank($0) }) == UInt8(ascii: "[") {
                // The elements before the fault count.
                var array = ArrayAnswer(self, response, for: post)
                _ = array.add(body[...])
                return array.end()
            }
            if let refusal { return (failure(refusal, post), []) }
            return (PostOutcome(.failed(error), of: post.requests, answer: answer), [])
        }
        let findings = findsIrregularities ? findings(reading, post) : []
        if let refusal, !answersAny(reading, post) { return (failure(refusal, post), findings) }
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

    /// Whether an answer holds a response with the id of a member, or an error object without an id.
    ///
    /// An irregular response without an id does not count, because gateways send JSON such as `{"error":"blocked"}`.
    private func answersAny(_ reading: AnswerReader.Reading, _ post: Post) -> Bool {
        let ids = Set(post.requests.compactMap(\.id))
        return reading.responses.contains { response in
            if let id = response.id { return ids.contains(id) || id.counterpart.map(ids.contains) ?? false }
            return response.isNamelessError
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

    /// Returns the failure that an answer is if it holds no JSON-RPC response: its status, if that is not 2xx, or its
    /// media type, if that is not one of JSON. `nil` for other answers.
    ///
    /// A response counts whatever its media type is. Many servers send the default type of their framework.
    static func refusal(_ answer: HTTPAnswer) -> JSONRPCHTTPError? {
        if answer.status.kind != .successful { return .status(answer) }
        return isJSON(answer.headerFields[.contentType]) ? nil : .contentType(answer)
    }

    /// Whether a media type is one of JSON, or missing. Its parameters are ignored (RFC 9110 §8.3.1).
    private static func isJSON(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 != 0x20 && $0 != 0x09 }
        let name = String(decoding: type, as: UTF8.self).lowercased()
        return name.isEmpty || jsonTypes.contains(name) || name.hasSuffix("+json")
    }

    private static let jsonTypes: Set<String> = [
        "application/json", "application/json-rpc", "application/jsonrequest", "text/json",
    ]

    private static func isBlank(_ body: [UInt8]) -> Bool { body.allSatisfy { isBlank($0) } }

    /// Whether a byte is white space (RFC 8259 §2).
    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
}

extension ResponseObject {
    /// Whether this is a regular error object without an id, which concerns the whole message.
    var isNamelessError: Bool {
        if id == nil, case .failure(.answered) = outcome { true } else { false }
    }
}
