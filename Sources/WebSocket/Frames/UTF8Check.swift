// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Whether bytes are well-formed UTF-8, as the standard library sees it.
enum UTF8Check {
    enum Verdict: Equatable {
        case wellFormed
        /// All is well-formed but for so many bytes at the end, which begin a character.
        case unfinished(bytes: Int)
        case malformed
    }

    @unsafe static func verdict(_ bytes: UnsafeRawBufferPointer) -> Verdict {
        unsafe bytes.withMemoryRebound(to: UInt8.self) { bytes in
            do throws(UTF8.ValidationError) {
                _ = try unsafe UTF8Span(validating: bytes.span)
                return .wellFormed
            } catch {
                // A character that more bytes could end is cut off by the end, and by nothing else.
                guard error.kind == .truncatedScalar, error.byteOffsets.upperBound == bytes.count else {
                    return .malformed
                }
                return .unfinished(bytes: error.byteOffsets.count)
            }
        }
    }
}
