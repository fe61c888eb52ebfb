// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// One line of the output of `batch`.
struct BatchAnswer {
    /// The id of the line, or its number if the line is a request without an id.
    var label: RawJSON
    /// The number of a line without a usable id, for the member `line`; `nil` for other lines.
    var line: Int?
    var outcome: Result<RawJSON, CallFailure>

    /// Returns the response object with the label as its id. If there is no response, it returns
    /// `{"id":…,"failure":{"kind":…,"delivery":…,"message":…,"retryable":…}}`.
    func line(withVersion: Bool) throws -> [UInt8] {
        var bytes: [UInt8] = [UInt8(ascii: "{")]
        func begin(response: Bool) {
            if response && withVersion { bytes.append(contentsOf: "\"jsonrpc\":\"2.0\",".utf8) }
            bytes.append(contentsOf: "\"id\":".utf8)
            bytes.append(contentsOf: compact(label))
            if let line { bytes.append(contentsOf: ",\"line\":\(line)".utf8) }
        }
        switch outcome {
        case .success(let result):
            begin(response: true)
            bytes.append(contentsOf: ",\"result\":".utf8)
            bytes.append(contentsOf: compact(result))
        case .failure(let failure):
            if let errorObject = failure.errorObject {
                begin(response: true)
                bytes.append(contentsOf: ",\"error\":".utf8)
                bytes.append(contentsOf: compact(try RawJSON(encoding: errorObject)))
            } else {
                begin(response: false)
                let kind = failure.kind.rawValue
                bytes.append(contentsOf: ",\"failure\":{\"kind\":\"\(kind)\",\"delivery\":".utf8)
                bytes.append(contentsOf: "\"\(failure.delivery.rawValue)\",\"message\":".utf8)
                JSONText.writeString(failure.message, into: &bytes)
                bytes.append(contentsOf: ",\"retryable\":\(failure.isRetryable)}".utf8)
            }
        }
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    var status: CommandStatus {
        switch outcome {
        case .success: .success
        case .failure(let failure): failure.status
        }
    }

    private func compact(_ json: RawJSON) -> [UInt8] {
        JSONFormatter(style: .compact).format(json)
    }
}
