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
