// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc

/// The reason for a failure. A caller that knows the operation turns it into an error.
package struct SocketFault: Error, Hashable {
    /// A clause that completes an error message.
    package var reason: String
    /// The `errno`, or `nil` if there is none.
    package var systemError: Int32?
    /// Whether the same attempt may succeed later, or `nil` if the `errno` says so.
    package var isRetryable: Bool?

    package init(_ reason: String, systemError: Int32? = nil, isRetryable: Bool? = nil) {
        self.reason = reason
        self.systemError = systemError
        self.isRetryable = isRetryable
    }

    package init(systemError: Int32) { self.init(errorText(systemError), systemError: systemError) }
}

func errorText(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 256)
    guard unsafe strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(zeroTerminated: buffer)
}

extension String {
    /// Makes a string from the bytes before the first zero.
    init(zeroTerminated buffer: [CChar]) {
        self.init(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
