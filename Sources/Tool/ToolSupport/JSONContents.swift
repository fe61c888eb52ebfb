// swift-jsonrpc · SPDX-License-Identifier: MIT

package import WireJSON

extension RawJSON {
    /// Returns the members of an object, in order and with their original bytes; `nil` for another value.
    package func namedMembers() throws -> [(name: String, value: RawJSON)]? {
        do {
            return try members(refusesUnpaired: true)
        } catch {
            throw UsageError("The name of a member is not valid Unicode.")
        }
    }

    /// A text that is known to be JSON, such as a number.
    package init(literal: String) { self.init(unchecked: Array(literal.utf8)) }

    package init(string: String) {
        var bytes: [UInt8] = []
        JSONText.writeString(string, into: &bytes)
        self.init(unchecked: bytes)
    }

    package init(elements: [RawJSON]) {
        self.init(unchecked: [UInt8(ascii: "[")] + elements.map(\.bytes).joined(separator: ",".utf8) + "]".utf8)
    }

    /// An object whose members have this order.
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

extension ArraySlice<UInt8> {
    /// The index after the closing quote of a string that begins valid JSON.
    package var endOfString: Int {
        var end = startIndex + 1
        while end < endIndex, self[end] != UInt8(ascii: "\"") {
            end += self[end] == UInt8(ascii: "\\") ? 2 : 1
        }
        return Swift.min(end + 1, endIndex)
    }
}
