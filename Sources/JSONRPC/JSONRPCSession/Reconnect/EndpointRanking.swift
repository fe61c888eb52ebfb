// swift-jsonrpc · SPDX-License-Identifier: MIT

/// The order in which endpoints are tried. It reads no clock.
struct EndpointRanking: Sendable {
    private struct Record {
        /// The number of failures in a row.
        var failures = 0
        var lastFailure = SessionTime.zero
    }

    /// The time after which the failures of an endpoint are forgotten.
    let memory: Duration
    private var records: [Record]

    init(count: Int, memory: Duration) {
        self.memory = memory
        records = Array(repeating: Record(), count: count)
    }

    /// Returns the indices of all endpoints, the best first: those with fewer failures in a row, and among equals the
    /// order of the program.
    func order(now: SessionTime) -> [Int] {
        let failures = records.map { record in
            now.duration(since: record.lastFailure) < memory ? record.failures : 0
        }
        return records.indices.sorted { (failures[$0], $0) < (failures[$1], $1) }
    }

    /// Notes an attempt that failed, or a connection that was not stable.
    mutating func failed(_ index: Int, now: SessionTime) {
        if now.duration(since: records[index].lastFailure) >= memory { records[index].failures = 0 }
        records[index].failures += 1
        records[index].lastFailure = now
    }

    /// Notes a connection that was stable.
    mutating func lasted(_ index: Int) { records[index].failures = 0 }
}
