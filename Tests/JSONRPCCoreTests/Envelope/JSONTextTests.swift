// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import Testing

@Suite struct JSONTextTests {
    @Test(arguments: [Int64.min, .min + 1, -10, -1, 0, 1, 9, 10, 99, 100, 1_234_567_890, .max - 1, .max])
    func digitsAreThoseOfTheNumber(number: Int64) {
        var bytes: [UInt8] = []
        JSONText.append(number, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == String(number))
    }
}
