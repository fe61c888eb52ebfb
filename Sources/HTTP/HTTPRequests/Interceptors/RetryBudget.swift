// swift-jsonrpc · SPDX-License-Identifier: MIT

import Synchronization

/// A limit for the retries of many requests together, so that retries cannot multiply the load of a server that fails.
///
/// Each request adds a part of a retry to the budget, and each retry takes one. Interceptors share a budget by having the
/// same instance.
public final class RetryBudget: Sendable {
    private let retriesPerRequest: Double
    private let capacity: Double
    private let balance: Mutex<Double>

    /// Makes a full budget.
    ///
    /// - Parameters:
    ///   - retriesPerRequest: The number of retries that each request adds. The default is 0.2, one retry for each five
    ///     requests.
    ///   - capacity: The largest number of retries that can be saved. The default is 10.
    public init(retriesPerRequest: Double = 0.2, capacity: Int = 10) {
        self.retriesPerRequest = retriesPerRequest
        self.capacity = Double(capacity)
        balance = Mutex(Double(capacity))
    }

    /// The number of retries that can be made now.
    public var availableRetries: Int { Int(balance.withLock { min($0, 1e9) }) }

    func deposit() { balance.withLock { $0 = min($0 + retriesPerRequest, capacity) } }

    func withdraw() -> Bool {
        balance.withLock { balance in
            guard balance >= 1 else { return false }
            balance -= 1
            return true
        }
    }
}
