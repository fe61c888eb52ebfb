// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONRPCCore
import TestTurns
import Testing

@Suite(.inTurn) struct StrictnessTests {
    @Test(arguments: Strictness.Reaction.allCases)
    func eachReactionIsKeptForEachIrregularity(reaction: Strictness.Reaction) {
        for other in Strictness.Reaction.allCases {
            for irregularity in Irregularity.allCases {
                var strictness = Strictness(everything: other)
                strictness[irregularity] = reaction
                for each in Irregularity.allCases {
                    #expect(strictness[each] == (each == irregularity ? reaction : other))
                }
            }
        }
    }

    @Test func equalityIsByReactions() {
        var strictness = Strictness.standard
        #expect(strictness == .standard)
        #expect(strictness.hashValue == Strictness.standard.hashValue)
        strictness[.duplicateRequestID] = .closeConnection
        #expect(strictness != .standard)
        #expect(Strictness.standard != .strict)
    }

    @Test func standardNeverClosesTheConnection() {
        for irregularity in Irregularity.allCases { #expect(Strictness.standard[irregularity] < .closeConnection) }
    }

    @Test func standardReportsAllButTheCommon() {
        let silent = Irregularity.allCases.filter { Strictness.standard[$0] == .ignore }
        #expect(silent == [.extraMembers, .nullParams])
    }

    @Test func strictUsesNothingThatTheSpecificationForbids() {
        for irregularity in Irregularity.allCases {
            #expect(Strictness.strict[irregularity] >= Strictness.standard[irregularity])
        }
        #expect(Strictness.strict[.missingVersion] == .failCall)
        #expect(Strictness.strict[.malformedJSON] == .closeConnection)
    }

    @Test func everyIrregularityHasItsOwnWords() {
        #expect(Set(Irregularity.allCases.map(\.description)).count == Irregularity.allCases.count)
    }

    /// RFC 6455 §5.5: a control frame holds 125 bytes, two of which are the close code.
    @Test func everyIrregularityCanBeTheReasonOfAClosingHandshake() {
        #expect(Irregularity.allCases.allSatisfy { "Received \($0).".utf8.count <= 123 })
    }

    @Test func rawValuesFitTheBits() {
        #expect(Irregularity.allCases.allSatisfy { $0.rawValue < 64 })
        #expect(Set(Irregularity.allCases.map(\.rawValue)).count == Irregularity.allCases.count)
    }

    @Test func verdictNamesTheFirstViolationAndReportsAll() {
        var strictness = Strictness(everything: .ignore)
        strictness[.wrongVersion] = .report
        strictness[.bothResultAndError] = .failCall
        strictness[.missingErrorMessage] = .closeConnection
        let verdict = strictness.verdict(on: [
            .missingErrorMessage, .bothResultAndError, .wrongVersion, .extraMembers,
        ])
        #expect(verdict.reported == [.wrongVersion, .bothResultAndError, .missingErrorMessage])
        #expect(verdict.violation == .bothResultAndError)
        #expect(verdict.closesConnection)
    }

    @Test(arguments: Irregularity.allCases)
    func irregularitiesWithoutAReadingAreNeverUsed(irregularity: Irregularity) {
        let verdict = Strictness(everything: .ignore).verdict(on: [irregularity])
        #expect(verdict.violation == (irregularity.hasReading ? nil : irregularity))
        #expect(verdict.reported.isEmpty)
        #expect(!verdict.closesConnection)
    }
}

@Suite(.inTurn) struct IrregularitySetTests {
    @Test func containsWhatWasInsertedAndNothingElse() {
        for irregularity in Irregularity.allCases {
            var set = IrregularitySet()
            #expect(set.isEmpty)
            set.insert(irregularity)
            set.insert(irregularity)
            #expect(set.elements == [irregularity])
            #expect(!set.isEmpty)
            for other in Irregularity.allCases { #expect(set.contains(other) == (other == irregularity)) }
        }
    }
}
