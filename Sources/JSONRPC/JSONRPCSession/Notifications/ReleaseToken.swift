// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Calls a function when its last reference is released.
package final class ReleaseToken: Sendable {
    private let released: @Sendable () -> Void

    package init(_ released: @escaping @Sendable () -> Void) { self.released = released }

    deinit { released() }
}
