// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCWebSocket
import Synchronization

/// A request of a benchmark run.
struct BenchRequest: Sendable {
    /// The index of the method in the workload.
    var index: Int
    var method: String
    var params: RawJSON?
}

/// The requests of a run. It is thread-safe.
final class RequestMix: Sendable {
    private let method: String
    private let params: RawJSON?

    /// Makes a mix of one method with the same params each time.
    init(method: String, params: RawJSON?) {
        (self.method, self.params) = (method, params)
    }

    /// The names of the methods, in the order of their indexes.
    var methods: [String] { [method] }

    /// Returns the next request.
    func next() -> BenchRequest { BenchRequest(index: 0, method: method, params: params) }
}
