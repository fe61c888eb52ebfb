// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Tells whether messages come one by one or many with each read.
struct ArrivalCount {
    private var pass: UInt64 = 0
    private var count = 0
    /// How many came in the pass before that brought any.
    private var previousCount = 0

    /// A message came in this pass of the event loop.
    mutating func messageArrived(in pass: UInt64) {
        if pass != self.pass {
            self.pass = pass
            previousCount = count
            count = 0
        }
        count += 1
    }

    /// Whether one message came in this pass, and one at most in the last that brought any.
    func isAlone(in pass: UInt64) -> Bool {
        pass == self.pass && count == 1 && previousCount <= 1
    }
}
