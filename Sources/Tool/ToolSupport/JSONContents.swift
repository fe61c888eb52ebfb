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
