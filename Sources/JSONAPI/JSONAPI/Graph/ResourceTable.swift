// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// The decoded values of one Swift type, by their positions in the document.
///
/// It is not generic, because the compiler would look the types of its parts up for each value.
final class ResourceTable: Sendable {
    typealias Value = AnyObject & Sendable

    private struct Values {
        var baselines: [(any Value)?]
        var isEmpty = true
    }

    private let values: Mutex<Values>

    /// Creates a table for a document with the given number of resources.
    init(count: Int) { values = Mutex(Values(baselines: Array(repeating: nil, count: count))) }

    subscript(position: Int) -> (any Value)? { values.withLock { $0.baselines[position] } }

    var isEmpty: Bool { values.withLock { $0.isEmpty } }

    /// Stores a value, unless another task was faster. It returns the value that is stored.
    func store(_ value: any Value, at position: Int) -> any Value {
        values.withLock {
            if let known = $0.baselines[position] { return known }
            $0.baselines[position] = value
            $0.isEmpty = false
            return value
        }
    }

    /// Stores values at the given positions, except where another task was faster.
    func store(_ decoded: [any Value], at positions: [Int]) {
        values.withLock {
            for index in decoded.indices where $0.baselines[positions[index]] == nil {
                $0.baselines[positions[index]] = decoded[index]
            }
            $0.isEmpty = $0.isEmpty && decoded.isEmpty
        }
    }
}

/// The positions of the resources of a document by key, and by type.
struct ResourcePositions {
    private(set) var positions: [ResourceKey: Int] = [:]
    /// The positions of the resources of each type, without those that another resource has taken the place of.
    private(set) var types: [String: [Int]] = [:]
    private var count = 0

    init(capacity: Int) { positions.reserveCapacity(capacity) }

    /// Adds the next resource. A resource with a known key is left out, unless it takes the place of an identifier.
    mutating func add(_ object: ResourceObject, _ other: (Int) -> ResourceObject) {
        var isFirst = true
        if let id = object.id {
            isFirst = add(ResourceKey(type: object.type, id: id), object, other)
        }
        if let lid = object.lid {
            let isFirstLocal = add(ResourceKey(type: object.type, id: lid, isLocal: true), object, other)
            isFirst = isFirst && object.id != nil || isFirstLocal
        }
        if isFirst { types[object.type, default: []].append(count) }
        count += 1
    }

    /// Returns whether the position of the key is that of the resource.
    private mutating func add(_ key: ResourceKey, _ object: ResourceObject, _ other: (Int) -> ResourceObject) -> Bool {
        guard let known = positions.updateValue(count, forKey: key) else { return true }
        if object.isBare || !other(known).isBare {
            positions[key] = known
            return false
        }
        return true
    }
}
