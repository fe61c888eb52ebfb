// swift-jsonrpc · SPDX-License-Identifier: MIT

import JSONAPI
import TestTurns
import Testing

@Suite("Member names", .inTurn)
struct MemberNameTests {
    @Test(arguments: ["a", "Z9", "first-name", "first_name", "first name", "é", "日本", "@context", "version:id", "1"])
    func legalNames(_ name: String) {
        #expect(MemberName.isLegal(name))
    }

    @Test(arguments: ["", "-a", "a-", "_a", "a ", "@", "@-a", ":a", "a:", "v_1:a", "a:b:c", "@a:b"])
    func illegalNames(_ name: String) {
        #expect(!MemberName.isLegal(name))
    }

    @Test func reservedCharactersAreIllegalInside() {
        let reserved = "+,.[]!\"#$%&'()*/;<=>?@\\^`{|}~\u{7F}".unicodeScalars.map(String.init)
        let controls = (0..<0x20).compactMap { Unicode.Scalar($0).map { String($0) } }
        for character in reserved + controls {
            #expect(!MemberName.isLegal("a\(character)b"), "\(character.debugDescription)")
        }
    }

    @Test func everyOtherASCIICharacterIsLegalInside() {
        let legal = (0..<0x80).compactMap(Unicode.Scalar.init).map { String($0) }.filter {
            MemberName.isLegal("a\($0)b")
        }
        #expect(legal.count == 26 + 26 + 10 + 3 + 1)  // The colon makes "a:b" the member of an extension.
    }

    @Test func kinds() {
        #expect(MemberName.kind(of: "name") == .regular)
        #expect(MemberName.kind(of: "@id") == .atMember)
        #expect(MemberName.kind(of: "version:id") == .extensionMember(namespace: "version"))
        #expect(MemberName.isRecommended("firstName") && !MemberName.isRecommended("first_name"))
        #expect(MemberName.isLegal("Name") && !MemberName.isRecommended("Name"))
    }
}
