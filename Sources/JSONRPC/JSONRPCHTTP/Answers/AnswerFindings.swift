// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore

/// The irregular members of an answer whose other responses are used.
struct AnswerFindings {
    /// An irregularity, and the number of members that have it.
    typealias Finding = (irregularity: Irregularity, count: Int)

    private let ids: Set<RequestID>
    /// The ids of calls that have a response.
    private var seen: Set<RequestID> = []
    private var counts: [Irregularity: Int] = [:]

    /// Makes findings for an answer to these requests.
    init(_ requests: [RequestObject]) { ids = Set(requests.compactMap(\.id)) }

    /// Takes note of a response.
    mutating func note(_ response: ResponseObject) {
        guard let id = response.id else {
            counts[.nullResponseID, default: 0] += 1
            return
        }
        if !ids.contains(id), id.counterpart.map({ ids.contains($0) }) != true {
            counts[.unknownResponse, default: 0] += 1
        } else if !seen.insert(id).inserted {
            counts[.duplicateResponse, default: 0] += 1
        }
    }

    /// Takes note of members that are no responses.
    mutating func noteStrangers(_ count: Int) {
        if count > 0 { counts[.notAMessage, default: 0] += count }
    }

    /// The findings, each irregularity once.
    var list: [Finding] {
        counts.sorted { $0.key.rawValue < $1.key.rawValue }.map { ($0.key, $0.value) }
    }
}
