// swift-jsonrpc · SPDX-License-Identifier: MIT

/// Limits for a JSON text that protect the program that reads it.
public struct JSONLimits: Sendable, Hashable {
    /// The largest value of ``maximumDepth``. Values are compared, hashed and released by recursion, so a larger limit
    /// could exhaust a thread's stack.
    public static let largestMaximumDepth = 2048

    /// The maximum nesting depth of arrays and objects, the outermost one included. The default is 512.
    ///
    /// A text that is nested deeper is refused with ``JSONSyntaxError/Reason/nestingTooDeep``. Values outside of 0 to
    /// ``largestMaximumDepth`` are replaced by the nearer bound.
    public var maximumDepth: Int {
        didSet { maximumDepth = Self.clamped(maximumDepth) }
    }

    /// Creates limits.
    ///
    /// - Parameter maximumDepth: The maximum nesting depth of arrays and objects. The default is 512.
    public init(maximumDepth: Int = 512) { self.maximumDepth = Self.clamped(maximumDepth) }

    private static func clamped(_ depth: Int) -> Int { min(max(depth, 0), largestMaximumDepth) }
}
