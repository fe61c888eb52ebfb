// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON
import WireJSONMacros

@JSONCodable
private enum Dish: Equatable {
    case soup
    case purée(grams: Int)
}

@JSONCodable
private struct Named: Equatable {
    // The name equals that of the property as a string, but has other bytes.
    @JSONKey("pure\u{301}e") var purée: Int
}

/// Names that are equal as strings but have other bytes: `é` as one scalar or as two.
@Suite(.inTurn) struct EquivalentNamesTests {
    /// `Codable` accepts both as names of the case.
    @Test(
        arguments: [
            "{\"pur\u{E9}e\":{\"grams\":1},\"pure\u{301}e\":{\"grams\":2}}",
            "{\"pure\u{301}e\":{\"grams\":2},\"pur\u{E9}e\":{\"grams\":1}}",
            #"{"pur\u00e9e":{"grams":1},"pure\u0301e":{}}"#,
            #"{"pur\u00e9e":{"grams":1},"purée\u0301":{}}"#,
            "{\"pure\u{301}e\":{\"grams\":2}}",
            "{\"soup\":{},\"pure\u{301}e\":{\"grams\":2}}",
        ])
    func ofCasesAreCounted(text: String) {
        let direct = verdict { try WireJSONDecoder().decode(Dish.self, from: Array(text.utf8)) }
        #expect(direct == verdict { try Ways.throughCodable().decode(Dish.self, from: Array(text.utf8)) })
    }

    @Test func areWrittenWithTheBytesOfTheKey() throws {
        let value = Named(purée: 1)
        try expectSameCoding(value)
        #expect(try WireJSONEncoder().encode(value) as [UInt8] == Array("{\"pure\u{301}e\":1}".utf8))
    }
}
