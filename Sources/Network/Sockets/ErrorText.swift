// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import HTTPSyntax

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

    /// The default maximum number of Unicode scalars from a peer's text in an error message.
    package static let printableLimit = 256

    /// Returns a peer's text in a form that is safe in an error message: escaped and bounded.
    ///
    /// Control characters (C0, DEL and C1), line separators, invisible format characters (including bidirectional
    /// controls), private-use and unassigned characters are shown as escapes such as `\u{1B}` or `\n`. So the text
    /// cannot control a terminal, start a line of a log, or reorder the text around it. `limit` is the maximum number
    /// of Unicode scalars to take from the text. An ellipsis replaces the rest.
    package static func printable(_ text: some StringProtocol, limit: Int = printableLimit) -> String {
        var result = ""
        for (count, scalar) in text.unicodeScalars.enumerated() {
            guard count < limit else { return result + "…" }
            if scalar.isPrintable {
                result.unicodeScalars.append(scalar)
            } else {
                result += scalar.escaped(asASCII: true)
            }
        }
        return result
    }

    /// Returns a peer's bytes as escaped and bounded text. Bytes that are not UTF-8 are shown as U+FFFD.
    package static func printable(_ bytes: some Collection<UInt8>, limit: Int = printableLimit) -> String {
        // A scalar has at most four bytes. One scalar beyond the limit shows whether the text is longer.
        printable(String(decoding: bytes.prefix((limit + 1) * 4), as: UTF8.self), limit: limit)
    }
}
