// swift-jsonrpc · SPDX-License-Identifier: MIT

import WireJSON

/// A kind of JSON value.
public enum JSONKind: String, Sendable, Hashable {
    /// The value `null`.
    case null = "null"
    /// `true` or `false`.
    case boolean = "a boolean"
    /// A number.
    case number = "a number"
    /// A string.
    case string = "a string"
    /// An array.
    case array = "an array"
    /// An object.
    case object = "an object"
}

extension JSONTree {
    func kind(at index: Int) -> JSONKind {
        switch entries[index].kind {
        case .null: .null
        case .true, .false: .boolean
        case .integer, .decimal: .number
        case .string, .name: .string
        case .array: .array
        case .object: .object
        }
    }

    func isNull(_ index: Int) -> Bool { if case .null = entries[index].kind { true } else { false } }

    /// The number after a value and all that it contains.
    func end(of index: Int) -> Int { Int(entries[index].next) }

    func elements(of array: Int) -> TreeWalk { TreeWalk(from: array, to: end(of: array), step: 0) }

    /// The numbers of the names in an object. The value of a member has the number after its name.
    func names(in object: Int) -> TreeWalk { TreeWalk(from: object, to: end(of: object), step: 1) }

    func count(of array: Int) -> Int {
        var count = 0
        var elements = elements(of: array)
        while elements.next(in: self) != nil { count += 1 }
        return count
    }

    /// Whether a name in an object may be repeated. It is `true` for an object with more than 32 members or with
    /// escapes in a name, because comparing all names takes quadratic time.
    func mayRepeatNames(in object: Int) -> Bool {
        var count = 0
        var names = names(in: object)
        while let name = names.next(in: self) {
            count += 1
            guard count <= 32, !entries[name].isEscaped else { return true }
            var earlier = object + 1
            while earlier < name {
                if areEqual(earlier, name) { return true }
                earlier = end(of: earlier + 1)
            }
        }
        return false
    }

    func pointer(to index: Int) -> JSONPointer {
        var tokens: [String] = []
        var container = 0
        while container < index {
            var child = container + 1
            switch entries[container].kind {
            case .array:
                var position = 0
                while end(of: child) <= index { (child, position) = (end(of: child), position + 1) }
                tokens.append(String(position))
                container = child
            case .object:
                while end(of: child + 1) <= index { child = end(of: child + 1) }
                tokens.append(string(at: child) ?? "")
                container = child + 1
            default: return JSONPointer(tokens)
            }
        }
        return JSONPointer(tokens)
    }
}

/// A walk over the numbers of the elements of an array, or of the names in an object.
///
/// It does not hold the tree, because reference counting would cost time in each walk.
struct TreeWalk {
    private let step: Int
    private let end: Int
    private var index: Int

    fileprivate init(from container: Int, to end: Int, step: Int) {
        self.step = step
        self.end = end
        index = container + 1
    }

    /// Returns the next number. It is `nil` at the end.
    @inline(__always)
    mutating func next(in tree: JSONTree) -> Int? {
        guard index < end else { return nil }
        let child = index
        index = tree.end(of: child + step)
        return child
    }
}
