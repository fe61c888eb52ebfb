// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Prints JSON values on standard output, one on each line.
struct LineOutput: Sendable {
    var formatter: JSONFormatter
    var stream = OutputStream.standard

    /// Prints a value that is on one line already.
    func write(_ line: [UInt8]) throws {
        let isPlain = !formatter.colors && !formatter.escapesControls
        try stream.write(line: isPlain ? line : formatter.format(valid: line))
    }
}
