// swift-jsonrpc · SPDX-License-Identifier: MIT

import HTTPRequests
import JSONRPCSession

/// The clock of a client, as a clock of HTTP requests.
struct ClientClock: HTTPClock {
    private let clock: any SessionClock
    private let origin = ContinuousClock.now

    init(_ clock: any SessionClock) { self.clock = clock }

    var now: ContinuousClock.Instant { instant(of: clock.now) }

    func instant(of time: SessionTime) -> ContinuousClock.Instant {
        origin.advanced(by: time.duration(since: .zero))
    }

    func sleep(until deadline: ContinuousClock.Instant) async throws {
        let time = SessionTime.zero.advanced(by: origin.duration(to: deadline))
        guard await clock.isReached(time) else { throw CancellationError() }
    }
}
