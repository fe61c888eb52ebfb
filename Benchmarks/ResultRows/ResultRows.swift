// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation

/// The rows that a program of benchmarks adds to its printed tables, one line of JSON each, for Benchmarks/Peers/record.py.
///
/// The members are the arguments of `result` in Benchmarks/Peers/report.py.
public struct ResultRow: Encodable {
    public var part: String
    public var name: String
    public var unit: String
    public var ours: Double
    public var peer: String
    public var theirs: Double
    public var aim: Double?
    /// The place in a chart: the name of a line or of a kind of bar.
    public var line: String?
    /// The place in a chart: the document, or its size.
    public var at: String?

    public init(
        part: String, name: String, unit: String, ours: Double, peer: String, theirs: Double, aim: Double? = nil,
        line: String? = nil, at: String? = nil
    ) {
        self.part = part
        self.name = name
        self.unit = unit
        self.ours = ours
        self.peer = peer
        self.theirs = theirs
        self.aim = aim
        self.line = line
        self.at = at
    }

    /// Appends the row to the file that the option `--rows FILE` of the program names, if it has one.
    public func record() throws {
        let arguments = CommandLine.arguments
        guard let option = arguments.firstIndex(of: "--rows"), option + 1 < arguments.count else { return }
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: arguments[option + 1]))
        try file.seekToEnd()
        try file.write(contentsOf: JSONEncoder().encode(self) + Data("\n".utf8))
        try file.close()
    }
}
