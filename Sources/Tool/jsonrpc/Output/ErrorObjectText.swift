// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// Formats error objects as JSON (JSON-RPC 2.0 §5.1).
enum ErrorObjectText {
    /// Returns `{"code":…,"message":…}`, with `data` if the error has data.
    static func json(_ error: ErrorObject) throws -> RawJSON {
        var bytes = Array("{\"code\":\(error.code.rawValue),\"message\":".utf8)
        JSONText.writeString(error.message, into: &bytes)
        if let data = error.data {
            bytes.append(contentsOf: ",\"data\":".utf8)
            bytes.append(contentsOf: data.bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        return try RawJSON(validating: bytes)
    }
}
