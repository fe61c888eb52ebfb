// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket

/// The members of an object, in order and with their original bytes.
struct JSONMembers {
    let members: [(name: String, value: RawJSON)]

    /// Reads the members; `nil` if the value is not an object.
    ///
    /// - Throws: ``UsageError`` if the name of a member is not valid Unicode.
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
