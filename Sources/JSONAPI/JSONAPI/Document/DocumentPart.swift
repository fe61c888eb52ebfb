// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A part of a document, which reads and writes itself.
protocol DocumentPart {
    /// - Throws: A ``DocumentError``. Its pointer begins at this part.
    init(reading json: RawJSON, with reader: DocumentReader) throws

    func write(to output: inout JSONOutput)
}

extension DocumentPart {
    /// Reads the part from any decoder. Those of WireJSON pass its bytes without parsing them.
    init(decodingFrom decoder: any Decoder) throws {
        let json = try RawJSON(from: decoder)
        do {
            try self.init(reading: json, with: DocumentReader())
        } catch let error as DocumentError {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath, debugDescription: error.description, underlyingError: error)
            throw DecodingError.dataCorrupted(context)
        }
    }

    func encodePart(to encoder: any Encoder) throws {
        try rawJSON.encode(to: encoder)
    }

    var rawJSON: RawJSON {
        var output = JSONOutput()
        write(to: &output)
        return RawJSON(unchecked: output.bytes)
    }
}
