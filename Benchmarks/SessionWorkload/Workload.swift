// swift-jsonrpc · SPDX-License-Identifier: MIT

import AllocationCounter
import Foundation
public import JSONRPCWebSocket
import Synchronization
import WebSocket
import WireJSONMacros

/// Params by name, and a result, of a program's own type: what most programs send. Arrays of integers take a short cut
/// in the coder.
@JSONCodable
public struct Order: Sendable, Hashable {
    public var symbol: String
    public var quantity: Int
    public var price: Double
    public var isBuy: Bool
    public var note: String?
}

/// The params of a workload, encoded anew for each call.
public enum WorkloadParams: Sendable {
    case integers([Int])
    case order(Order)

    /// Reads `[1,2]`, or an object with the members of ``Order``.
    public init?(_ text: String) {
        let decoder = JSONDecoder()
        if let integers = try? decoder.decode([Int].self, from: Data(text.utf8)) {
            self = .integers(integers)
        } else if let order = try? decoder.decode(Order.self, from: Data(text.utf8)) {
            self = .order(order)
        } else {
            return nil
        }
    }
}

/// The same call, made over and over by as many workers as calls are to be in flight.
public struct Workload: Sendable {
    public var method: String
    public var params: WorkloadParams
    public var concurrency: Int
    public var count: Int
    /// Counts allocations, which takes time.
    public var countsAllocations = false
    /// The workers run on the thread that serves the connection, not on those which all tasks share.
    public var runsOnEventLoop = false
    /// How many calls go out as one array; 1 for calls that go out alone.
    public var batch = 1
    /// One task makes all calls with `results(of:inFlight:)`, instead of a task for each call in flight.
    public var hasOneConsumer = false

    public init(method: String, params: WorkloadParams, concurrency: Int, count: Int) {
        self.method = method
        self.params = params
        self.concurrency = concurrency
        self.count = count
    }

    /// Makes the calls. Results are decoded as the type of the params, those of `blob` are taken as they come.
    ///
    /// - Throws: ``WorkloadFailure`` when an answer is wrong; what the calls throw.
    public func run(_ client: JSONRPCClient) async throws -> WorkloadMeasurement { try await run([client]) }

    /// Makes the calls over several connections, with ``concurrency`` calls in flight on each.
    ///
    /// - Throws: ``WorkloadFailure`` when an answer is wrong; what the calls throw.
    public func run(_ clients: [JSONRPCClient]) async throws -> WorkloadMeasurement {
        if countsAllocations, allocation_counter_check() != 0 {
            throw WorkloadFailure("Allocations are not counted on this system.")
        }
        let begun = Counter()
        let clock = ContinuousClock()
        if countsAllocations { allocation_counter_start() }
        let usedBefore = Self.processorTime()
        let start = clock.now
        // No task group: to take a child out of one costs the more the more children it has.
        let rounds = count / batch
        let work: @Sendable (JSONRPCClient) async throws -> [Duration] = { client in
            var latencies: [Duration] = []
            while begun.next() < rounds {
                let sent = clock.now
                if batch > 1 { try await callTogether(client) } else { try await call(client) }
                let latency = clock.now - sent
                for _ in 0..<batch { latencies.append(latency) }
            }
            return latencies
        }
        let consume: @Sendable (JSONRPCClient) async throws -> [Duration] = { client in
            try await consumeAll(client, count: count / clients.count)
        }
        let operation = hasOneConsumer ? consume : work
        let workers = (0..<(hasOneConsumer ? clients.count : min(concurrency * clients.count, rounds))).map { number in
            let client = clients[number % clients.count]
            // Not a preference of nil, which the runtime would look up at each switch.
            return runsOnEventLoop
                ? Task(executorPreference: WebSocketEventLoops.shared.executors[0]) { try await operation(client) }
                : Task { try await operation(client) }
        }
        var latencies: [Duration] = []
        latencies.reserveCapacity(count)
        for worker in workers { latencies += try await worker.value }
        let duration = clock.now - start
        let used = Self.processorTime() - usedBefore
        let allocations = countsAllocations ? allocation_counter_stop() : nil
        return WorkloadMeasurement(
            latencies: latencies.sorted(), duration: duration, processorTime: used, allocations: allocations)
    }

    /// What this process has used of the processors, in the kernel too.
    private static func processorTime() -> Duration {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        return .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)
    }

    private func consumeAll(_ client: JSONRPCClient, count: Int) async throws -> [Duration] {
        switch params {
        case .integers(let integers): try await consumeAll(client, integers, count)
        case .order(let order): try await consumeAll(client, order, count)
        }
    }

    private func consumeAll<Params: Codable & Sendable & Equatable>(
        _ client: JSONRPCClient, _ params: Params, _ count: Int
    ) async throws -> [Duration] {
        let clock = ContinuousClock()
        let sent = SendTimes(count: count)
        let requests = (0..<count).lazy.map { _ in
            sent.note(clock.now)
            return MethodCall(method, params: params, as: Params.self)
        }
        var latencies: [Duration] = []
        latencies.reserveCapacity(count)
        for try await (index, result) in client.results(of: requests, inFlight: concurrency) {
            guard try result.get() == params else { throw WorkloadFailure("Call \(index) was answered wrongly.") }
            latencies.append(clock.now - sent.times[index])
        }
        guard latencies.count == count else { throw WorkloadFailure("\(latencies.count) of \(count) calls ended.") }
        return latencies
    }

    private func callTogether(_ client: JSONRPCClient) async throws {
        switch params {
        case .integers(let integers): try await callTogether(client, integers)
        case .order(let order): try await callTogether(client, order)
        }
    }

    private func callTogether<Params: Codable & Sendable & Equatable>(
        _ client: JSONRPCClient, _ params: Params
    ) async throws {
        let calls = (0..<batch).map { _ in MethodCall(method, params: params, as: Params.self) }
        for outcome in try await client.batch(calls) {
            guard try outcome.get() == params else { throw WorkloadFailure("A member was answered wrongly.") }
        }
    }

    private func call(_ client: JSONRPCClient) async throws {
        switch params {
        case .integers(let integers) where method == "blob":
            let result = try await client.callRaw(
                method, params: RawJSON(encoding: integers), timeout: nil, options: CallOptions())
            guard result.bytes.count == (integers.first ?? 0) + 2 else { throw WorkloadFailure("The blob is cut.") }
        case .integers(let integers): try await call(client, integers)
        case .order(let order): try await call(client, order)
        }
    }

    private func call<Params: Codable & Sendable & Equatable>(_ client: JSONRPCClient, _ params: Params) async throws {
        let result: Params = try await client.call(method, params: params)
        guard result == params else { throw WorkloadFailure("\(params) was answered with \(result).") }
    }
}

/// The times at which one consumer took its requests.
private final class SendTimes {
    private(set) var times: [ContinuousClock.Instant] = []

    init(count: Int) { times.reserveCapacity(count) }

    func note(_ time: ContinuousClock.Instant) { times.append(time) }
}

/// Counts the calls that workers begin.
private final class Counter: Sendable {
    private let value = Atomic<Int>(0)

    func next() -> Int { value.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// A client for measurements: no limit stands in the way of what is to be measured.
public func measuredClient(
    url: String, coder: any MessageCoder = .wireJSON, engine: WebSocketEngine = .builtIn,
    on loops: WebSocketEventLoops = .shared
) async throws -> JSONRPCClient {
    var webSocket = WebSocketConfiguration()
    webSocket.engine = engine
    webSocket.maximumMessageBytes = 256 << 20
    var configuration = SessionConfiguration()
    configuration.calls.maximumInFlight = 1 << 20
    configuration.coder = coder
    return try await JSONRPCClient.connect(to: url, webSocket: webSocket, configuration: configuration, on: loops)
}

/// What a run of a workload took.
public struct WorkloadMeasurement: Sendable {
    /// One for each call, the shortest first.
    public var latencies: [Duration]
    public var duration: Duration
    public var processorTime: Duration
    public var allocations: UInt64?

    public var callsPerSecond: Double { Double(latencies.count) / (duration / .seconds(1)) }

    public var allocationsPerCall: Double? { allocations.map { Double($0) / Double(latencies.count) } }

    /// The latency, in microseconds, which so great a share of the calls did not exceed.
    public func latency(_ share: Double) -> Double {
        guard !latencies.isEmpty else { return 0 }
        return latencies[Int((share * Double(latencies.count - 1)).rounded())] / .microseconds(1)
    }
}

public struct WorkloadFailure: Error, CustomStringConvertible {
    public var description: String

    init(_ description: String) { self.description = description }
}
