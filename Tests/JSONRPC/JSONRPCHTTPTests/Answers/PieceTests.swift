// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPTypes
import TestSupport
import TestTurns
import Testing
import WireJSON

@testable import JSONRPCHTTP

/// Answers to batches in pieces. Neither the pieces nor the bytes after a response make a difference.
@Suite(.inTurn(within: .seconds(120)))
struct PieceTests {
    /// The outcomes of three calls and a notification between them, and the irregularities.
    struct Reading: Equatable {
        var outcomes: [Result<RawJSON, CallError>?]
        var findings: [Irregularity: Int]
        /// The places of the members whose outcomes were passed on before the end, in order.
        var early: [Int] = []

        /// The results and the errors, without the bytes and the causes that describe a fault.
        var kinds: [String] {
            outcomes.map { outcome in
                switch outcome {
                case nil: "none"
                case .success(let result): result.text
                case .failure(.answered(let error)): "\(error.code.rawValue) \(error.message)"
                case .failure(.failed(let error)):
                    "\(error.code) \(error.irregularity.map { "\($0)" } ?? "") \(error.requestID.map { "\($0)" } ?? "")"
                case .failure(.cancelled): "cancelled"
                }
            }
        }
    }

    static let post = Post(
        requests: [
            RequestObject(id: 1, method: "a"), RequestObject(id: nil, method: "n"), RequestObject(id: 2, method: "b"),
            RequestObject(id: "drei", method: "c"),
        ], body: [], isArray: true, isIdempotent: false, attempt: 1)

    /// Reads an answer as a client does.
    ///
    /// - Parameter length: The announced length. If it is that of the only piece, the answer is read at once.
    static func read(
        _ pieces: [ArraySlice<UInt8>], status: HTTPResponse.Status = .ok, limit: Int = 10 << 20, length: Int? = nil,
        interruption: HTTPTransportError? = nil, strictness: Strictness = .standard
    ) throws -> Reading {
        let rules = ResponseBodyReader.Rules(.with { $0.strictness = strictness })
        let response = HTTPResponse(status: status, headerFields: [.contentType: "application/json"])
        let taken = EventLog<(Int, Result<RawJSON, CallError>)>()
        var reader = ResponseBodyReader(
            rules, response, for: post, limit: limit, length: length.map { Int64($0) },
            offer: { place, outcome, _ in
                taken.record((place, outcome))
                return true
            })
        let wantsMore = pieces.allSatisfy { reader.add($0) }
        if wantsMore, let interruption { reader.interrupt(interruption) }
        let (outcome, findings) = try reader.end()
        var reading = Reading(
            outcomes: outcome.outcomes,
            findings: Dictionary(uniqueKeysWithValues: findings.map { ($0.irregularity, $0.count) }))
        for (place, outcome) in taken.elements {
            #expect(reading.outcomes[place] == nil, "A member has two outcomes.")
            reading.outcomes[place] = outcome
            reading.early.append(place)
        }
        return reading
    }

    static func whole(_ body: [UInt8], status: HTTPResponse.Status = .ok) throws -> Reading {
        try read([body[...]], status: status, length: body.count)
    }

    static let one = #"{"jsonrpc":"2.0","id":1,"result":{"é":"]},\"\\[{","f":[1,[2,{}]]}}"#
    static let two = #"{"jsonrpc":"2.0","result":-1.5e3,"id":2}"#
    static let three = #"{"jsonrpc":"2.0","id":"drei","error":{"code":7,"message":"\"[\\"}}"#
    /// Two responses, a member that is not a response, and another response, with white space between all tokens.
    static let representative = Array(" \r\n[ \(one)\t,\n\(two) , null,\(three) ,{\"x\":[]},7 , \"]\" ] \n".utf8)

    @Test func theRepresentativeBody() throws {
        let reading = try Self.whole(Self.representative)
        #expect(reading.kinds == [#"{"é":"]},\"\\[{","f":[1,[2,{}]]}"#, "none", "-1.5e3", #"7 "[\"#])
        #expect(reading.findings == [.notAMessage: 4])
        #expect(reading.early.isEmpty)
    }

    @Test func aBodyMayBeSplitAnywhere() throws {
        let body = Self.representative
        let expected = try Self.whole(body)
        for split in body.indices {
            let reading = try Self.read([body[..<split], body[split...]], length: body.count)
            #expect(reading.outcomes == expected.outcomes, "split at \(split)")
            #expect(reading.findings == expected.findings, "split at \(split)")
        }
        let single = try Self.read(body.indices.map { body[$0...$0] })
        #expect(single.outcomes == expected.outcomes)
        #expect(single.findings == expected.findings)
        #expect(single.early == [0, 2, 3])
    }

    /// The places whose responses are complete in a part of the representative body.
    private static func answered(in part: ArraySlice<UInt8>) -> [Int] {
        let text = String(decoding: part, as: UTF8.self)
        return [(0, one), (2, two), (3, three)].filter { text.contains($0.1) }.map(\.0)
    }

    enum Cut: CaseIterable {
        /// The connection is lost.
        case lost
        /// The body ends properly.
        case short
        /// The limit is reached.
        case limit
    }

    @Test(arguments: Cut.allCases, [true, false])
    func anAnswerThatIsCutAnywhereKeepsItsResponses(cut: Cut, isInPieces: Bool) throws {
        let body = Self.representative
        let full = try Self.whole(body)
        // Only white space follows the last bracket.
        let end = try #require(body.lastIndex(of: UInt8(ascii: "]")))
        let begin = try #require(body.firstIndex(of: UInt8(ascii: "[")))
        for index in (begin + 1)...end {
            let part = cut == .limit ? body[...] : body[..<index]
            let pieces = isInPieces ? part.indices.map { body[$0...$0] } : [part]
            let reading = try Self.read(
                pieces, limit: cut == .limit ? index : .max,
                interruption: cut == .lost ? HTTPTransportError(.connectionLost, "Reset.") : nil)
            let answered = Self.answered(in: body[..<index])
            for place in [0, 2, 3] {
                if answered.contains(place) {
                    #expect(reading.outcomes[place] == full.outcomes[place], "cut at \(index)")
                    continue
                }
                let error = try #require(reading.outcomes[place]?.callError?.clientError, "cut at \(index)")
                #expect(error.delivery == .outcomeUnknown)
                #expect(error.httpAnswer?.status == .ok)
                #expect(error.httpAnswer?.bodyBeginning == Array(body[..<index]))
                #expect(error.requestID == Self.post.requests[place].id)
                #expect(error.method == Self.post.requests[place].method)
                switch (cut, error.cause) {
                case (.lost, JSONRPCHTTPError.interrupted?): #expect(error.code == .connectionLost)
                case (.limit, JSONRPCHTTPError.answerTooLarge(_, index)?): #expect(error.code == .transportFailed)
                case (.short, _?):
                    let isText = String(validating: body[..<index], as: UTF8.self) != nil
                    #expect(error.irregularity == (isText ? .malformedJSON : .invalidUTF8))
                default: Issue.record("cut at \(index): \(error)")
                }
            }
            // A notification has failed only if nothing was answered.
            #expect((reading.outcomes[1] == nil) == !answered.isEmpty)
        }
    }

    @Test func theLimitIsForTheWholeBody() throws {
        let body = Self.representative
        let full = try Self.whole(body)
        #expect(try Self.read(body.indices.map { body[$0...$0] }, limit: body.count).outcomes == full.outcomes)
        let less = try Self.read(body.indices.map { body[$0...$0] }, limit: body.count - 1)
        // All members were answered before the limit.
        #expect(less.outcomes == full.outcomes)
    }

    @Test func anEmptyArrayInPiecesIsAViolation() throws {
        let reading = try Self.read([[0x5B], [0x20, 0x5D]])
        #expect(reading.outcomes.allSatisfy { $0?.callError?.clientError?.irregularity == .emptyBatch })
        #expect(reading.outcomes == (try Self.whole(Array("[ ]".utf8))).outcomes)
    }
}
