// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The members of an object, in order and with their original bytes.
struct JSONMembers {
    let members: [(name: String, value: RawJSON)]

    /// Reads the members; `nil` if the value is not an object.
    init?(_ json: RawJSON) throws {
        do {
            guard let members = try json.members(refusesUnpaired: true) else { return nil }
            self.members = members
        } catch {
            throw UsageError("The name of a member is not valid Unicode.")
        }
    }

    /// The values of a member. There are several if the name is repeated.
    subscript(_ name: String) -> [RawJSON] {
        members.filter { $0.name == name }.map(\.value)
    }
}

extension RawJSON {
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
