// swift-jsonrpc · SPDX-License-Identifier: MIT

extension RawJSON {
    /// Returns the members of an object in order, including repeated names. It is `nil` if the value is not an object.
    ///
    /// - Parameter refusesUnpaired: Whether a name that escapes half of a surrogate pair is an error. By default such a
    ///   member is left out, because a `String` cannot represent its name.
    /// - Throws: A ``JSONSyntaxError`` if the bytes are not JSON.
    package func members(refusesUnpaired: Bool = false) throws(JSONSyntaxError) -> [(name: String, value: RawJSON)]? {
        guard bytes.first == UInt8(ascii: "{") else { return nil }
        var members: [(name: String, value: RawJSON)] = []
        try scanChildren { scanner throws(ScanFault) in
            let name = try scanner.scanMemberName()
            let value = RawJSON(unchecked: bytes[try skipChild(&scanner)])
            do throws(ScanFault) {
                members.append((try scanner.string(name), value))
            } catch {
                if refusesUnpaired { throw error }
            }
        }
        return members
    }

    /// Calls `body` for each member of an object whose name is in `names`, in order, including repeated names. The
    /// arguments are the index in `names` and the range of the value. It creates no strings and no array.
    ///
    /// - Returns: `false` if the value is not an object.
    /// - Throws: A ``JSONSyntaxError`` if the bytes are not JSON.
    package func forEachMember(
        named names: (StaticString, StaticString, StaticString), body: (_ place: Int, _ value: Range<Int>) -> Void
    ) throws(JSONSyntaxError) -> Bool {
        guard bytes.first == UInt8(ascii: "{") else { return false }
        try scanChildren { scanner throws(ScanFault) in
            let name = try scanner.scanMemberName()
            let value = try skipChild(&scanner)
            if scanner.isName(name, names.0) {
                body(0, value)
            } else if scanner.isName(name, names.1) {
                body(1, value)
            } else if scanner.isName(name, names.2) {
                body(2, value)
            }
        }
        return true
    }

    /// Returns the elements of an array. It is `nil` if the value is not an array.
    ///
    /// - Throws: A ``JSONSyntaxError`` if the bytes are not JSON.
    package func elements() throws(JSONSyntaxError) -> [RawJSON]? {
        guard bytes.first == UInt8(ascii: "[") else { return nil }
        var elements: [RawJSON] = []
        try scanChildren { scanner throws(ScanFault) in
            elements.append(RawJSON(unchecked: bytes[try skipChild(&scanner)]))
        }
        return elements
    }

    /// Calls `child` at each member or element of the outermost container.
    private func scanChildren(_ child: (inout JSONScanner) throws(ScanFault) -> Void) throws(JSONSyntaxError) {
        // The limit for this value was checked when it was validated.
        let limits = JSONLimits(maximumDepth: JSONLimits.largestMaximumDepth)
        try JSONScanner.read(bytes, limits: limits) { scanner throws(ScanFault) in
            scanner.position = 1
            scanner.skipWhitespace()
            if scanner.take(UInt8(ascii: "}")) || scanner.take(UInt8(ascii: "]")) { return }
            while true {
                try child(&scanner)
                scanner.skipWhitespace()
                guard scanner.take(UInt8(ascii: ",")) else { return }
                scanner.skipWhitespace()
            }
        }
    }

    /// Reads a value, and returns its range in ``bytes``.
    @inline(__always)
    private func skipChild(_ scanner: inout JSONScanner) throws(ScanFault) -> Range<Int> {
        let start = bytes.startIndex + scanner.position
        try scanner.skipValue(depth: 0)
        return start..<(bytes.startIndex + scanner.position)
    }
}

extension RawJSON {
    /// Creates a value from text that is known to be JSON, such as a number.
    package init(literal: String) { self.init(unchecked: Array(literal.utf8)) }

    package init(string: String) {
        var bytes: [UInt8] = []
        JSONText.writeString(string, into: &bytes)
        self.init(unchecked: bytes)
    }

    package init(elements: [RawJSON]) {
        self.init(unchecked: [UInt8(ascii: "[")] + elements.map(\.bytes).joined(separator: ",".utf8) + "]".utf8)
    }

    /// Creates an object whose members have this order.
    package init(members: [(name: String, value: RawJSON)]) {
        var bytes = Array("{".utf8)
        for (index, member) in members.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            JSONText.writeString(member.name, into: &bytes)
            bytes.append(UInt8(ascii: ":"))
            bytes.append(contentsOf: member.value.bytes)
        }
        bytes.append(UInt8(ascii: "}"))
        self.init(unchecked: bytes)
    }
}
