// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

protocol WritablePart {
    func write(to output: inout JSONOutput)
}

extension WritablePart {
    var rawJSON: RawJSON { RawJSON { write(to: &$0) } }
}

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

    /// Reads the part from any decoder. WireJSON's decoders pass the bytes on without parsing them.
    ///
    /// This function and the next one are public because they are the witnesses of `Codable` for public types.
    public init(from decoder: any Decoder) throws {
        let json = try RawJSON(from: decoder)
        do throws(DocumentError) {
            try self.init(json: json)
        } catch {
            let context = DecodingError.Context(
                codingPath: decoder.codingPath, debugDescription: error.description, underlyingError: error)
            throw DecodingError.dataCorrupted(context)
        }
    }

    public func encode(to encoder: any Encoder) throws { try rawJSON.encode(to: encoder) }
}

struct JSONOutput {
    private(set) var bytes: [UInt8] = []
    /// The names of the members of the innermost object so far, if additional members follow.
    private var names: Set<String>?

    /// Writes a comma, except at the beginning and after three bytes with which no value ends.
    private mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    mutating func raw(_ json: RawJSON) {
        separate()
        bytes.append(contentsOf: json.bytes)
    }

    mutating func string(_ text: String) {
        separate()
        JSONText.writeString(text, into: &bytes)
    }

    mutating func null() { raw(.null) }

    mutating func array(_ elements: [some WritablePart]) {
        separate()
        bytes.append(UInt8(ascii: "["))
        for element in elements { element.write(to: &self) }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes an object: the members that `body` writes, and then the additional members with other names.
    mutating func object(additional: RawMembers = RawMembers(), _ body: (inout JSONOutput) -> Void) {
        separate()
        bytes.append(UInt8(ascii: "{"))
        let outerNames = names
        names = additional.isEmpty ? nil : []
        body(&self)
        let written = names ?? []
        names = nil
        for (name, value) in additional where !written.contains(name) {
            begin(name)
            raw(value)
        }
        names = outerNames
        bytes.append(UInt8(ascii: "}"))
    }

    /// Writes a member, unless it is `nil`.
    mutating func member(_ name: String, _ part: (some WritablePart)?) {
        guard let part else { return }
        begin(name)
        part.write(to: &self)
    }

    private mutating func begin(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        names?.insert(name)
    }
}

extension RawJSON {
    init(_ write: (inout JSONOutput) -> Void) {
        var output = JSONOutput()
        write(&output)
        self.init(unchecked: output.bytes)
    }
}

extension RawJSON: WritablePart {
    func write(to output: inout JSONOutput) { output.raw(self) }
}

extension String: DocumentPart {
    init(reading index: Int, with reader: DocumentReader) throws(DocumentFault) { self = try reader.string(index) }
    func write(to output: inout JSONOutput) { output.string(self) }
}

extension Array: WritablePart where Element: WritablePart {
    func write(to output: inout JSONOutput) { output.array(self) }
}
