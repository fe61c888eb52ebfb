// swift-jsonrpc · SPDX-License-Identifier: MIT

import ResultRows

/// The place of a measurement in Benchmarks/Results.md, and its aim.
struct Published {
    private var part: String
    private var line: String
    private var document: String
    private var peer: String
    private var aim: Double?

    /// An operation beside Foundation, for the documents that are published.
    init?(_ operation: String, _ document: String) {
        let aims: [String: (decoding: Double, encoding: Double)] = [
            "small object": (25, 20), "result of 1.8 KB": (20, 20), "10 000 objects": (20, 20),
            "twitter, typed": (12, 12),
        ]
        guard let aim = aims[document] else { return nil }
        let isDecoding = operation.hasPrefix("decode")
        part = isDecoding ? "Decoding" : "Encoding"
        (line, self.document, peer) = (operation, document, "Foundation")
        self.aim = operation.hasSuffix("@JSONCodable") ? (isDecoding ? aim.decoding : aim.encoding) : nil
    }

    /// An operation without a model beside `JSONSerialization`, for the documents that are published.
    init?(_ operation: String, untyped document: String) {
        guard ["twitter", "canada"].contains(document) else { return nil }
        (part, line, self.document, peer) = ("Without a model", operation, document, "JSONSerialization")
    }

    /// A validation beside simdjson's DOM. Of short texts, more is expected.
    init(validating document: String) {
        (part, line, self.document, peer) = ("Validation", "validate", document, "simdjson's DOM")
        aim = ["twitter", "citm_catalog", "canada", "github_events"].contains(document) ? 0.7 : 1.5
    }

    /// Typed decoding beside simdjson's On-Demand API, in C++ by hand.
    init(floorOf document: String) {
        (part, line, self.document) = ("The floor of typed decoding", "decode, @JSONCodable", document)
        peer = "simdjson On-Demand"
    }

    var isBesideSimdjson: Bool { peer.hasPrefix("simdjson") }

    func row(bytes: Int, _ ours: Cost, _ theirs: Cost) -> ResultRow {
        // A byte in a nanosecond is 1000 MB/s.
        ResultRow(
            part: part, name: "\(line): \(document)", unit: "MB/s", ours: Double(bytes) / ours.nanoseconds * 1000,
            peer: peer, theirs: Double(bytes) / theirs.nanoseconds * 1000, aim: aim, line: line, at: document)
    }
}
