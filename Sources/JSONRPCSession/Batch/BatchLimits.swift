// swift-jsonrpc · SPDX-License-Identifier: MIT

/// How large one array may become. What does not fit into it goes out in further arrays, in order, right behind it.
public struct BatchLimits: Sendable, Hashable {
    /// How many members an array may have. 1000; values below 1 count as that.
    public var maximumMembers: Int
    /// How many bytes an array may have. 1 MiB. A member that is larger by itself goes out in an array of its own.
    public var maximumBytes: Int

    public init(maximumMembers: Int = 1000, maximumBytes: Int = 1 << 20) {
        self.maximumMembers = maximumMembers
        self.maximumBytes = maximumBytes
    }

    /// No limits: every batch is one array.
    public static let none = BatchLimits(maximumMembers: .max, maximumBytes: .max)

    /// Divides members of these sizes, keeping their order. No array is empty.
    func split(_ sizes: [Int]) -> [Range<Int>] {
        var arrays: [Range<Int>] = []
        var start = 0
        var bytes = 2  // The brackets.
        for (index, size) in sizes.enumerated() {
            let isFull = index - start >= max(1, maximumMembers) || bytes + size + 1 > maximumBytes
            if isFull, index > start {
                arrays.append(start..<index)
                start = index
                bytes = 2
            }
            bytes += size + 1  // The comma.
        }
        if start < sizes.count { arrays.append(start..<sizes.count) }
        return arrays
    }
}
