// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

extension ErrorObject {
    init(missingParam name: String) { self.init(invalidParam: name, reason: "is missing") }

    /// Creates an error that names a param in its message and in its data.
    ///
    /// - Parameter path: The path of the fault inside the param, such as `second.items[3]`; `nil` for the param itself.
    init(invalidParam name: String, reason: String, path: String? = nil) {
        let place = path ?? name
        var data: JSONObject = ["param": .string(name)]
        if let path { data["path"] = .string(path) }
        self.init(
            code: .invalidParams, message: "Invalid params: \"\(place)\" \(reason)",
            data: RawJSON(JSONValue.object(data)))
    }

    /// Creates the answer to params that cannot be decoded.
    ///
    /// - Parameter param: The name of the param; `nil` for the params as a whole.
    init(invalidParams error: any Error, param: String? = nil) {
        if let error = error as? ErrorObject {
            self = error
            return
        }
        guard let error = error as? DecodingError else {
            self = param.map { ErrorObject(invalidParam: $0, reason: "is not valid") } ?? ErrorObject(.invalidParams)
            return
        }
        var path = error.context.codingPath
        let reason: String
        switch error {
        case .keyNotFound(let key, _):
            path.append(key)
            reason = "is missing"
        case .valueNotFound: reason = "is null"
        case .typeMismatch: reason = "has the wrong type"
        case .dataCorrupted: reason = "is not valid"
        @unknown default: reason = "is not valid"
        }
        guard let name = param ?? path.first?.stringValue else {
            self.init(code: .invalidParams, message: "Invalid params: they have the wrong type")
            return
        }
        // By position, the path begins with an index of the array, so it is replaced by the clearer name.
        let inside = path.dropFirst()
        let text = inside.reduce(into: name) { text, key in
            if let index = key.intValue { text += "[\(index)]" } else { text += ".\(key.stringValue)" }
        }
        self.init(invalidParam: name, reason: reason, path: inside.isEmpty ? nil : text)
    }
}
