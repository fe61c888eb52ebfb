// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The options of a coder. The runs of the coder share them, so each copies only a reference.
final class SharedOptions<Values: Sendable>: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }

    /// Returns changed options. Runs that have already begun keep the old ones.
    func with(_ change: (inout Values) -> Void) -> SharedOptions {
        var values = values
        change(&values)
        return SharedOptions(values)
    }
}
