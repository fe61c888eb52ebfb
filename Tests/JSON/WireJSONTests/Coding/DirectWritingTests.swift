// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing
import WireJSON

/// Types that write themselves.
@Suite(.inTurn) struct DirectWritingTests {
    /// Writes a member without an object.
    private struct Memberless: JSONWritable, Encodable {
        func write(to writer: inout JSONWriter) throws(JSONFallback) {
            writer.member("a")
            try writer.write(1)
        }
    }

    /// The address sanitizer would report such a read.
    @Test func nothingIsReadBeforeTheText() throws {
        #expect(try WireJSONEncoder().encode(Memberless()) as [UInt8] == Array(#","a":1"#.utf8))
    }
}
