// swift-jsonrpc · SPDX-License-Identifier: MIT

extension SessionConfiguration {
    /// The maximum size of one array. Further members of a batch are sent in further arrays, in order.
    public struct BatchLimits: Sendable, Hashable {
        /// The maximum number of members. The default is 1000. Values below 1 are raised to 1.
        public var maximumMembers: Int
        /// The maximum number of bytes. The default is 1 MiB. A larger member is sent in its own array.
        public var maximumBytes: Int

        /// Makes limits.
        public init(maximumMembers: Int = 1000, maximumBytes: Int = 1 << 20) {
            self.maximumMembers = maximumMembers
            self.maximumBytes = maximumBytes
        }

        /// No limits: every batch is one array.
        public static let none = SessionConfiguration.BatchLimits(maximumMembers: .max, maximumBytes: .max)

        /// Divides members of these sizes into arrays, in order. No array is empty.
        package func split(_ sizes: [Int]) -> [Range<Int>] {
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
}
