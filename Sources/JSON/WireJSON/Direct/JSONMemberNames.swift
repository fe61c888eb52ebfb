// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The names of a type's members, or the strings of its values, in the form in which they are compared and written.
///
/// The memory of the names is never freed. So create them once per type, in a static constant.
@safe public struct JSONMemberNames: @unchecked Sendable {  // The memory is not changed or freed after `init`.
    @safe struct Entry {
        /// The name with quotes and a colon. JSON text with these bytes, where a name must begin, has this name.
        var bytes: UnsafePointer<UInt8>
        var length: Int
        /// The first eight bytes, and a mask of the bytes that belong to the name.
        var first: UInt64 = 0
        var mask: UInt64 = 0
        /// The last eight bytes. It is 0 if the name is shorter.
        var last: UInt64 = 0
        /// Whether the name needs escapes, always or if slashes are escaped. Then its characters are compared.
        var needsEscapes = false
    }

    private let entries: UnsafePointer<Entry>
    let count: Int
    /// A bit per name, from ``mark(_:_:)``. One test excludes most names that are not in the list.
    private let marks: UInt64

    /// Creates names of members in the order in which they are usually written. A name's number is its index.
    public init(_ names: String...) {
        let entries = UnsafeMutablePointer<Entry>.allocate(capacity: max(names.count, 1))
        var marks: UInt64 = 0
        for (index, name) in names.enumerated() {
            let quoted = Array("\"\(name)\":".utf8)
            let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: quoted.count + 8)
            unsafe bytes.initialize(repeating: 0, count: quoted.count + 8)
            unsafe bytes.update(from: quoted, count: quoted.count)
            let length = quoted.count
            var entry = unsafe Entry(bytes: UnsafePointer(bytes), length: length)
            entry.first = unsafe SWAR.load(bytes)
            entry.mask = length >= 8 ? .max : (1 &<< UInt64(8 * length)) &- 1
            if length >= 8 { entry.last = unsafe SWAR.load(bytes + length - 8) }
            entry.needsEscapes = name.utf8.contains {
                $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "/")
            }
            unsafe (entries + index).initialize(to: entry)
            unsafe marks |= Self.mark(bytes + 1, length - 3)
        }
        unsafe self.entries = UnsafePointer(entries)
        count = names.count
        self.marks = marks
    }

    @inline(__always)
    subscript(index: Int) -> Entry {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
        return unsafe entries[index]
    }

    @inline(__always)
    @unsafe private static func mark(_ name: UnsafePointer<UInt8>, _ length: Int) -> UInt64 {
        guard length > 0 else { return 1 }
        let sum = unsafe UInt64(name[0]) &* 7 &+ UInt64(name[length &- 1]) &* 3 &+ UInt64(truncatingIfNeeded: length)
        return 1 &<< (sum & 63)
    }

    /// Returns the number of bytes of a name with its quotes and colon if the text begins with it. It returns 0 if
    /// another name begins there, or if fewer than eight bytes are available.
    @inline(__always)
    @unsafe func match(_ index: Int, _ text: UnsafePointer<UInt8>, available: Int) -> Int {
        guard UInt(bitPattern: index) < UInt(bitPattern: count) else { return 0 }
        let entry = unsafe entries + index
        let length = unsafe entry.pointee.length
        guard available >= 8, available >= length, unsafe !entry.pointee.needsEscapes,
            unsafe (SWAR.load(text) ^ entry.pointee.first) & entry.pointee.mask == 0
        else { return 0 }
        if length <= 8 { return length }
        guard unsafe SWAR.load(text + length - 8) == entry.pointee.last else { return 0 }
        if length > 16, unsafe !SWAR.areEqual(text + 8, entry.pointee.bytes + 8, length &- 16) { return 0 }
        return length
    }

    /// Returns the number of a name, or `nil` if it is not in the list. The search begins at an expected number.
    @unsafe func find(_ name: UnsafeBufferPointer<UInt8>, expected: Int) -> Int? {
        guard let start = name.baseAddress else { return nil }
        let length = name.count
        guard unsafe marks & Self.mark(start, length) != 0 else { return nil }
        var index = expected < count ? expected : 0
        for _ in 0..<count {
            let entry = unsafe entries + index
            if unsafe entry.pointee.length == length &+ 3, unsafe SWAR.areEqual(start, entry.pointee.bytes + 1, length)
            {
                return index
            }
            index &+= 1
            if index == count { index = 0 }
        }
        return nil
    }
}

extension JSONMemberNames {
    /// Whether a string equals one of the names as a Swift string. Its bytes can differ.
    func hasEquivalent(of text: String) -> Bool {
        (0..<count).contains { index in
            let name = unsafe UnsafeBufferPointer(start: entries[index].bytes + 1, count: entries[index].length - 3)
            return unsafe String(decoding: name, as: UTF8.self) == text
        }
    }
}

/// Generic types cannot have static stored properties, so they use this table.
extension JSONMemberNames {
    private struct Owner: Hashable, Sendable {
        var type: ObjectIdentifier
        var name: String
    }

    private static let all = SharedValues<Owner, JSONMemberNames>()

    /// Returns the names that a type has registered as `name`. They are created at the first call.
    public static func shared(
        by type: Any.Type, as name: String, _ make: @autoclosure () -> JSONMemberNames
    ) -> JSONMemberNames {
        all.value(for: Owner(type: ObjectIdentifier(type), name: name), make)
    }
}
