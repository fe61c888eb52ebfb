// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The options of a coder. A run of the coder shares them, and so copies one reference.
final class SharedOptions<Values: Sendable>: Sendable {
    let values: Values

    init(_ values: Values) { self.values = values }

    /// Returns changed options. Runs that have begun keep the old ones.
    func with(_ change: (inout Values) -> Void) -> SharedOptions {
        var values = values
        change(&values)
        return SharedOptions(values)
    }
}
