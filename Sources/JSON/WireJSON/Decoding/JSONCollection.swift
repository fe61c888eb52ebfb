// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Collections of the standard library that are read from a document without containers.
protocol JSONCollection {
    /// Decodes a value of this type, which must be `type`.
    static func decode<T>(_ decoder: DocumentDecoder, as type: T.Type) throws -> T
}

extension Array: JSONCollection where Element: Decodable {
    static func decode<T>(_ decoder: DocumentDecoder, as type: T.Type) throws -> T {
        let document = decoder.document
        let elements = try decoder.elements(reserving: document.childCount(of: decoder.index)) {
            try DocumentDecoder(document, at: $0).decode(Element.self)
        }
        return same(elements, as: type)
    }
}

/// The names are the keys. A key strategy does not change them.
extension Dictionary: JSONCollection where Key == String, Value: Decodable {
    static func decode<T>(_ decoder: DocumentDecoder, as type: T.Type) throws -> T {
        let document = decoder.document
        let object = document.entry(decoder.index)
        guard object.kind == .object else {
            throw document.mismatch("an object", [String: Any].self, at: decoder.index)
        }
        let end = Int(object.next)
        var members: [String: Value] = [:]
        members.reserveCapacity(document.childCount(of: decoder.index))
        var index = decoder.index &+ 1
        while index < end {
            let name: String
            do throws(ScanFault) {
                name = try document.text.string(document.entry(index).content)
            } catch {
                throw document.corrupted(error.reason, at: index &+ 1)
            }
            members[name] = try DocumentDecoder(document, at: index &+ 1).decode(Value.self)
            index = Int(document.entry(index &+ 1).next)
        }
        return same(members, as: type)
    }
}

extension JSONDocument {
    /// The number of elements of an array, or of members of an object.
    func childCount(of container: Int) -> Int {
        let entry = entry(container)
        let step = entry.kind == .object ? 1 : 0
        var count = 0
        var index = container &+ 1
        while index < entry.next {
            count &+= 1
            index = Int(self.entry(index &+ step).next)
        }
        return count
    }
}
