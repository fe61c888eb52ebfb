// swift-jsonrpc · SPDX-License-Identifier: MIT

import TestTurns
import Testing

@testable import WireJSON

@Suite(.inTurn) struct PowersOfFiveTests {
    @Test func computedPowersHaveTheUpperHalvesOfTheTable() {
        #expect(PowersOfFiveTable.upper.count == PowersOfFive.largest - PowersOfFive.smallest + 1)
        #expect(PowersOfFive.all.map(\.upper) == PowersOfFiveTable.upper)
    }

    @Test(
        arguments: [
            (-342, 0x113F_AA29_06A1_3B3F), (-28, 0x8BCA_9D6E_1888_53FC), (-27, 0x775E_A264_CF55_347E),
            (-1, 0xCCCC_CCCC_CCCC_CCCD), (0, 0), (27, 0), (28, 0x4000_0000_0000_0000), (308, 0x570F_09EA_A7EA_7648),
        ] as [(Int, UInt64)])
    func lowerHalvesAreCutOffOrRoundedUp(exponent: Int, half: UInt64) {
        #expect(PowersOfFive.all[exponent - PowersOfFive.smallest].lower == half)
    }
}
