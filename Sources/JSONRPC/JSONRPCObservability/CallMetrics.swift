// swift-jsonrpc · SPDX-License-Identifier: MIT

#if Metrics
    import JSONRPCSession
    import Metrics
    import Synchronization

    /// The outcome of a call.
    enum CallOutcomeKind: String, CaseIterable, Sendable {
        case answered
        case error
        case timeout
        case lost
        case cancelled
        case failed

        init(_ error: any Error) {
            switch error {
            case is ErrorObject: self = .error
            case is CancellationError: self = .cancelled
            case let error as ClientError where error.code == .timedOut: self = .timeout
            case let error as ClientError
            where [.connectionLost, .notConnected, .connectFailed, .closed].contains(error.code):
                self = .lost
            default: self = .failed
            }
        }
    }

    /// The metrics of the calls in one direction, for one value of the dimension `method`.
    struct CallMetrics: Sendable {
        private let calls: [CallOutcomeKind: Counter]
        private let notifications: [CallOutcomeKind: Counter]
        private let duration: Metrics.Timer
        private let active: Meter

        init(label: String, dimensions: [(String, String)], factory: any MetricsFactory) {
            func counters(_ name: String) -> [CallOutcomeKind: Counter] {
                let counters = CallOutcomeKind.allCases.map { outcome in
                    let outcomes = dimensions + [("outcome", outcome.rawValue)]
                    return (outcome, Counter(label: "\(label).\(name)", dimensions: outcomes, factory: factory))
                }
                return Dictionary(uniqueKeysWithValues: counters)
            }
            calls = counters("calls")
            notifications = counters("notifications")
            duration = Metrics.Timer(label: "\(label).duration", dimensions: dimensions, factory: factory)
            active = Meter(label: "\(label).active", dimensions: dimensions, factory: factory)
        }

        /// Runs a call and reports it.
        func report<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
            let start = ContinuousClock.now
            active.increment()
            defer {
                active.decrement()
                duration.recordNanoseconds(Int64(min((.now - start) / .nanoseconds(1), 9e18)))
            }
            return try await count(calls, body)
        }

        /// Runs a notification and reports it.
        func reportNotification(_ body: () async throws -> Void) async throws {
            try await count(notifications, body)
        }

        private func count<Result: Sendable>(
            _ counters: [CallOutcomeKind: Counter], _ body: () async throws -> Result
        ) async throws -> Result {
            do {
                let result = try await body()
                counters[.answered]?.increment()
                return result
            } catch {
                counters[CallOutcomeKind(error)]?.increment()
                throw error
            }
        }
    }

    /// The metrics of the calls in one direction.
    final class MethodTable: Sendable {
        static let maximumMethods = 1000

        private let label: String
        private let dimensions: [(String, String)]
        private let factory: any MetricsFactory
        private let table = Mutex<[String?: CallMetrics]>([:])

        init(label: String, dimensions: [(String, String)], factory: any MetricsFactory) {
            self.label = label
            self.dimensions = dimensions
            self.factory = factory
        }

        /// Returns the metrics for a value of the dimension `method`; `nil` for none.
        func metrics(of method: String?) -> CallMetrics {
            let (method, known) = table.withLock { table -> (String?, CallMetrics?) in
                if let known = table[method] { return (method, known) }
                guard method != nil, table.count >= Self.maximumMethods else { return (method, nil) }
                return ("other", table["other"])
            }
            if let known { return known }
            // The factory is the program's code, so it is not called under the lock.
            let made = CallMetrics(
                label: label, dimensions: dimensions + (method.map { [("method", $0)] } ?? []), factory: factory)
            return table.withLock { table in
                if let known = table[method] { return known }
                table[method] = made
                return made
            }
        }
    }
#endif
