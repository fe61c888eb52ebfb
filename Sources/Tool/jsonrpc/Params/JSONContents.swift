// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

extension RawJSON {
    /// Returns the members of an object, in order and with their original bytes; `nil` for another value.
    func namedMembers() throws -> [(name: String, value: RawJSON)]? {
        do {
            return try members(refusesUnpaired: true)
        } catch {
            throw UsageError("The name of a member is not valid Unicode.")
        }
    }

    /// A text that is known to be JSON, such as a number.
    init(literal: String) { self.init(unchecked: Array(literal.utf8)) }

    init(string: String) {
        var bytes: [UInt8] = []
        JSONText.writeString(string, into: &bytes)
        self.init(unchecked: bytes)
    }

    init(elements: [RawJSON]) {
        self.init(unchecked: [UInt8(ascii: "[")] + elements.map(\.bytes).joined(separator: ",".utf8) + "]".utf8)
    }

    /// An object whose members have this order.
    init(members: [(name: String, value: RawJSON)]) {
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

    /// The value without white space outside strings.
    var compact: RawJSON { RawJSON(unchecked: JSONFormatter(style: .compact).format(self)) }
}
