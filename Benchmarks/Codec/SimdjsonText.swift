// swift-jsonrpc · SPDX-License-Identifier: MIT

import Simdjson

/// A text for simdjson to parse.
final class SimdjsonText {
    private let document: OpaquePointer

    init(_ text: [UInt8]) {
        guard let document = simdjson_document_create(text, text.count), simdjson_document_parse(document) else {
            fatalError("simdjson does not read a text of the benchmark")
        }
        self.document = document
    }

    deinit {
        simdjson_document_destroy(document)
    }

    /// The instructions it uses on this processor.
    static var kernel: String { String(cString: simdjson_document_kernel()) }

    func parse() {
        keep(simdjson_document_parse(document))
    }
}
