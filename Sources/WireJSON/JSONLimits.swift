// swift-jsonrpc · SPDX-License-Identifier: MIT

/// What a JSON text may ask of the program that reads it.
public struct JSONLimits: Sendable, Hashable {
    /// The greatest value ``maximumDepth`` can have. Values are compared, hashed and released by recursion, so a larger
    /// limit could exhaust a thread's stack.
    public static let largestMaximumDepth = 2048

    /// How many arrays and objects may lie within each other; the outermost counts as one. A text nested deeper is
    /// refused with ``JSONSyntaxError/Reason/nestingTooDeep``. 512 by default.
    public var maximumDepth: Int {
        didSet { maximumDepth = Self.clamped(maximumDepth) }
    }

    /// Makes limits.
    ///
    /// - Parameter maximumDepth: a number from 0 to ``largestMaximumDepth``; numbers outside count as the nearest of
    ///   the two.
    public init(maximumDepth: Int = 512) {
        self.maximumDepth = Self.clamped(maximumDepth)
    }

    private static func clamped(_ depth: Int) -> Int {
        min(max(depth, 0), largestMaximumDepth)
    }
}
