// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Prints JSON values on standard output, one per line.
struct LineOutput: Sendable {
    var formatter: JSONFormatter
    var stream = OutputStream.standard

    /// Prints a value that is already on one line.
    func write(_ line: [UInt8]) throws {
        let isPlain = !formatter.colors && !formatter.escapesControls
        try stream.write(line: isPlain ? line : formatter.format(valid: line))
    }
}
