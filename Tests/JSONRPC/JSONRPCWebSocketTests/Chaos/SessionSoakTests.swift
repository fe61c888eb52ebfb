// swift-jsonrpc · SPDX-License-Identifier: MIT

import Glibc
import TestSupport
import TestTurns
import Testing

/// A client under load whose connection is lost each second, in a process of its own. Its memory does not grow.
///
/// It takes 20 seconds for each engine. `SOAK_SECONDS` sets another time; `Scripts/soak.sh` sets 600.
@Suite(.inTurnWithProcess(within: .seconds(1800)))
struct SessionSoakTests {
    @Test(arguments: Engine.sameAtBothEnds)
    func aClientThatReconnectsEachSecondDoesNotGrow(engine: Engine) async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) { [engine] in
            try await withTemporaryDirectory { folder in
                let seconds = ChaosSize.number("SOAK_SECONDS") ?? 20
                let soak = try SessionSoak(engine, in: folder)
                try await withWatchdog(.seconds(seconds + 200), dump: { soak.description }, rescue: { _exit(3) }) {
                    try await soak.run(seconds: seconds)
                }
            }
        }
        print(String(decoding: result?.standardErrorContent ?? [], as: UTF8.self))
    }
}
