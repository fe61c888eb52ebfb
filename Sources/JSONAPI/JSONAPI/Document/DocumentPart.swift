// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A part of a document that writes itself.
protocol WritablePart {
    func write(to output: inout JSONOutput)
}

extension WritablePart {
    var rawJSON: RawJSON { RawJSON { write(to: &$0) } }
}

/// A part of a document that reads and writes itself.
protocol DocumentPart: WritablePart {
    /// Reads the value with the given number in the reader's tree.
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault)
}

extension DocumentPart {
    /// Reads the part from JSON that was read or made before.
    init(json: RawJSON) throws(DocumentError) {
        self = try DocumentReader(json).reporting { (reader) throws(DocumentFault) in try Self(reading: 0, with: reader)
        }
    }

    /// Reads the part from any decoder. Those of WireJSON pass its bytes without parsing them.
    init(decodingFrom decoder: any Decoder) throws {
        let json = try RawJSON(from: decoder)
        do throws(DocumentError) {
            try self.init(json: json)
        } catch {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath, debugDescription: error.description, underlyingError: error)
            throw DecodingError.dataCorrupted(context)
        }
    }

    func encodePart(to encoder: any Encoder) throws { try rawJSON.encode(to: encoder) }
}
