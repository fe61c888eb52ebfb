// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing

/// A server that is restarted 100 times under load, in a process of its own. Each stream continues with one gap for
/// each loss, and nothing of the old connections remains. `STORM_RESTARTS` sets another number of restarts.
@Suite(.inTurnWithProcess(within: .seconds(300)))
struct ReconnectStormTests {
    @Test(arguments: Engine.sameAtBothEnds)
    func streamsAndCallsSurviveRestartsAndLeaveNothingBehind(engine: Engine) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [engine] in
            try await withTemporaryDirectory { folder in
                let storm = try ReconnectStorm(engine, in: folder)
                try await withWatchdog(.seconds(250), dump: { storm.description }, rescue: { _exit(3) }) {
                    try await storm.run(restarts: ChaosSize.number("STORM_RESTARTS") ?? 100)
                }
            }
        }
        print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
    }
}
