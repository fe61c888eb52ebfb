// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

enum Environment {
    /// Returns the value of a variable; `nil` if it is unset or empty.
    static func value(_ name: String) -> String? {
        guard let value = getenv(name) else { return nil }
        let text = String(cString: value)
        return text.isEmpty ? nil : text
    }
}
