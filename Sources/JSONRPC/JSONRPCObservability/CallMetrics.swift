// swift-jsonrpc · SPDX-License-Identifier: MIT

#if Metrics
    import JSONRPCSession
    import Metrics
    import Synchronization

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

    /// The label, the dimensions and the factory that metrics have in common.
    struct MetricScope: Sendable {
        var label: String
        var dimensions: [(String, String)]
        let factory: any MetricsFactory

        func counter(_ name: String, _ more: [(String, String)] = []) -> Counter {
            Counter(label: "\(label).\(name)", dimensions: dimensions + more, factory: factory)
        }

        func timer(_ name: String) -> Metrics.Timer {
            Metrics.Timer(label: "\(label).\(name)", dimensions: dimensions, factory: factory)
        }
    }

    /// The metrics of the calls in one direction, for one value of the dimension `method`.
    struct CallMetrics: Sendable {
        private let calls: [CallOutcomeKind: Counter]
        private let notifications: [CallOutcomeKind: Counter]
        private let duration: Metrics.Timer
        private let active: Meter

        init(_ scope: MetricScope) {
            func counters(_ name: String) -> [CallOutcomeKind: Counter] {
                let counters = CallOutcomeKind.allCases.map { ($0, scope.counter(name, [("outcome", $0.rawValue)])) }
                return Dictionary(uniqueKeysWithValues: counters)
            }
            calls = counters("calls")
            notifications = counters("notifications")
            duration = scope.timer("duration")
            active = Meter(label: "\(scope.label).active", dimensions: scope.dimensions, factory: scope.factory)
        }

        func report<Result: Sendable>(_ body: () async throws -> Result) async throws -> Result {
            let start = ContinuousClock.now
            active.increment()
            defer {
                active.decrement()
                duration.recordNanoseconds(SessionTime.nanoseconds(in: .now - start))
            }
            return try await count(calls, body)
        }

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

        private let scope: MetricScope
        private let table = Mutex<[String?: CallMetrics]>([:])

        init(_ scope: MetricScope) { self.scope = scope }

        /// Returns the metrics for a value of the dimension `method`; `nil` for none.
        func metrics(of method: String?) -> CallMetrics {
            let (method, known) = table.withLock { table -> (String?, CallMetrics?) in
                if let known = table[method] { return (method, known) }
                guard method != nil, table.count >= Self.maximumMethods else { return (method, nil) }
                return ("other", table["other"])
            }
            if let known { return known }
            // The factory is the program's code, so it is not called under the lock.
            var scope = scope
            if let method { scope.dimensions.append(("method", method)) }
            let made = CallMetrics(scope)
            return table.withLock { table in
                if let known = table[method] { return known }
                table[method] = made
                return made
            }
        }
    }
#endif
