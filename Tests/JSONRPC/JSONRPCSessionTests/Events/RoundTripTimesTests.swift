// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCSession
import JSONRPCTesting
import SessionTestSupport
import TestSupport
import TestTurns
import Testing

@Suite(.inTurn(within: .seconds(60))) struct RoundTripTimesTests {
    @Test func anEmptyDistributionHasNoValues() {
        let times = RoundTripTimes()
        #expect(times.count == 0 && times.minimum == nil && times.maximum == nil && times.mean == nil)
        #expect(times.latest == nil && times.percentile(50) == nil)
        #expect("\(times)" == "no round trips")
    }

    @Test func oneTimeIsEveryPercentile() {
        var times = RoundTripTimes()
        times.add(.milliseconds(37))
        for percent in [-1, 0, 50, 99.9, 100, 1000, .nan, .infinity] as [Double] {
            #expect(times.percentile(percent) == .milliseconds(37))
        }
        #expect(times.mean == .milliseconds(37) && times.latest == .milliseconds(37))
    }

    /// Each percentile differs from the exact value by at most 6.25 %, or 0.5 µs if that is more.
    @Test(arguments: 0..<20) func percentilesAreWithinTheErrorBound(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let count = Int.random(in: 1...2000, using: &random)
        let exponents = 0.0...Double.random(in: 1...26, using: &random)
        var times = RoundTripTimes()
        var all: [Duration] = []
        for _ in 0..<count {
            let microseconds = pow2(Double.random(in: exponents, using: &random))
            let time = Duration.nanoseconds(Int(microseconds * 1000))
            all.append(time)
            times.add(time)
        }
        all.sort()
        #expect(times.count == count && times.minimum == all.first && times.maximum == all.last, "seed \(seed)")
        #expect(times.mean == all.reduce(.zero, +) / count)
        for percent in [0, 1, 10, 25, 50, 75, 90, 99, 99.9, 100] as [Double] {
            let rank = max(1, Int((percent / 100 * Double(count)).rounded(.up)))
            let exact = all[rank - 1]
            guard let found = times.percentile(percent) else { return #expect(Bool(false)) }
            let bound = max(exact / 16, .microseconds(0.5))
            #expect(
                found - exact <= bound && exact - found <= bound,
                "seed \(seed): p\(percent) is \(found), exactly \(exact)")
        }
    }

    @Test func extremeTimesAreCounted() {
        var times = RoundTripTimes()
        let extremes: [Duration] = [
            .seconds(-1), .zero, .nanoseconds(1), .seconds(134), .seconds(135), .seconds(Int64.max),
        ]
        for time in extremes {
            times.add(time)
        }
        #expect(times.count == 6 && times.minimum == .zero && times.maximum == .seconds(Int64.max))
        #expect(times.percentile(100) == .seconds(Int64.max))
        guard let mean = times.mean else { return #expect(Bool(false)) }
        #expect(mean > .zero)
    }

    // MARK: Sessions and clients

    @Test func aSessionMeasuresItsRoundTrips() async throws {
        let wire = await Wire()
        #expect(wire.session.roundTrips.count == 0)
        for milliseconds in [10, 30, 20] { wire.near.measureRoundTrip(.milliseconds(milliseconds)) }
        try await wire.roundTrip()
        let times = wire.session.roundTrips
        #expect(times.count == 3 && times.mean == .milliseconds(20) && times.latest == .milliseconds(20))
        await wire.session.close()
        #expect(wire.session.roundTrips == times)
    }

    @Test func aClientMeasuresOverAllConnections() async throws {
        var reconnect = ReconnectPolicy.onLoss
        reconnect.backoff = ReconnectPolicy.Backoff(initial: .zero, maximum: .zero)
        let peer = ScriptedPeer()
        let client = JSONRPCClient(connector: peer.connector, reconnect: reconnect)
        #expect(client.roundTrips.count == 0)
        try await client.connect()
        client.session?.receiver.roundTripMeasured(.milliseconds(1))
        peer.drop()
        try await peer.expectConnection(2)
        async let pong = client.callRaw("ping")
        try peer.reply(to: try await peer.expectRequest("ping"), result: 1)
        _ = try await pong
        #expect(client.session?.roundTrips.count == 0)
        client.session?.receiver.roundTripMeasured(.milliseconds(3))
        #expect(client.session?.roundTrips.count == 1)
        #expect(client.roundTrips.count == 2 && client.roundTrips.mean == .milliseconds(2))
        await client.close()
    }

    @Test func aClientWithOneConnectionMeasuresToo() async throws {
        let client = JSONRPCClient(connector: ScriptedPeer().connector)
        try await client.connect()
        client.session?.receiver.roundTripMeasured(.milliseconds(5))
        await client.close()
        #expect(client.roundTrips.maximum == .milliseconds(5))
    }

    private func pow2(_ exponent: Double) -> Double {
        let whole = exponent.rounded(.down)
        return Double(sign: .plus, exponent: Int(whole), significand: 1 + (exponent - whole))
    }
}
