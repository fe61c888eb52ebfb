// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import ToolSupport

/// One line of the output of `batch`.
struct BatchAnswer {
    /// The id of the line, or its number if the line is a request without an id.
    var label: RawJSON
    /// The number of a line without a usable id, for the member `line`; `nil` for other lines.
    var line: Int?
    var outcome: Result<RawJSON, CallFailure>

    /// Returns the response object with the label as its id. If there is no response, it returns
    /// `{"id":…,"failure":{"kind":…,"delivery":…,"message":…,"retryable":…}}`.
    func line(withVersion: Bool) -> [UInt8] {
        var members = [(name: "id", value: label.compact)]
        if let line { members.append(("line", RawJSON(literal: "\(line)"))) }
        var isResponse = true
        switch outcome {
        case .success(let result): members.append(("result", result.compact))
        case .failure(let failure):
            if let error = failure.errorJSON {
                members.append(("error", error.compact))
            } else {
                members.append(("failure", Self.json(failure)))
                isResponse = false
            }
        }
        if isResponse, withVersion { members.insert(("jsonrpc", RawJSON(literal: "\"2.0\"")), at: 0) }
        return Array(RawJSON(members: members).bytes)
    }

    private static func json(_ failure: CallFailure) -> RawJSON {
        let delivery =
            switch failure.delivery {
            case .notSent: "not_sent"
            case .outcomeUnknown: "outcome_unknown"
            case .answered: "answered"
            }
        return RawJSON(members: [
            ("kind", RawJSON(string: failure.kind.rawValue)), ("delivery", RawJSON(string: delivery)),
            ("message", RawJSON(string: failure.message)), ("retryable", RawJSON(literal: "\(failure.isRetryable)")),
        ])
    }

    var status: CommandStatus {
        switch outcome {
        case .success: .success
        case .failure(let failure): failure.status
        }
    }
}
