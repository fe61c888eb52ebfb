// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import WireJSON

package struct Subtract: JSONRPCRequest {
    package typealias Response = Int
    package var minuend: Int, subtrahend: Int
    package var method: String { "subtract" }
    package var params: [Int] { [minuend, subtrahend] }

    package init(minuend: Int, subtrahend: Int) {
        self.minuend = minuend
        self.subtrahend = subtrahend
    }
}

package struct Log: JSONRPCNotification {
    package var line: String
    package var method: String { "log" }
    package var params: [String] { [line] }

    package init(_ line: String) { self.line = line }
}
