// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A check for well-formed UTF-8, by the standard library.
enum UTF8Check {
    enum Verdict: Equatable {
        case wellFormed
        /// All bytes are well-formed except for the given number at the end, which begin a character.
        case unfinished(bytes: Int)
        case malformed
    }

    @unsafe static func verdict(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
            do throws(UTF8.ValidationError) {
                _ = try unsafe UTF8Span(validating: bytes.span)
                return .wellFormed
            } catch {
                // The character is unfinished only if the end of the bytes cuts it off.
                guard error.kind == .truncatedScalar, error.byteOffsets.upperBound == bytes.count else {
                    return .malformed
                }
                return .unfinished(bytes: error.byteOffsets.count)
            }
        }
    }
}
