// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import TestTurns
import Testing
import WireJSON

/// Generated and damaged texts, read by this module and by Foundation. The result and the value must be the same.
///
/// Foundation differs as follows. In these cases, the text is compared only among this module's readers:
/// - Its dictionaries treat canonically equivalent names and strings as one.
/// - Of members with one name, the first counts, not the last.
/// - It accepts a comma before a closing bracket, against RFC 8259 §4 and §5.
/// - It detects the encoding from zero bytes or a byte order mark; RFC 8259 §8.1 allows only UTF-8.
/// - Its numbers with a fraction or exponent pass through `Decimal` and differ by some units in the last place, so they
///   are compared to 14 digits (``NumberTests`` is exact).
/// - It drops a byte order mark at the start of a string, so such strings are not compared.
/// - It refuses numbers that no `Double` holds, against RFC 8259 §6.
@Suite("Differences from Foundation", .inTurn)
struct DifferentialTests {
    /// 100 000, unless the environment sets another number.
    static let count = ProcessInfo.processInfo.environment["WIREJSON_DIFFERENTIAL"].flatMap { Int($0) } ?? 100_000

    @Test func generatedAndDamagedTextsHaveOneVerdictAndOneValue() async {
        var generator = DocumentGenerator(seed: 20_260_807)
        var tally = (accepted: 0, refused: 0, unlike: 0)
        for index in 0..<Self.count {
            // This takes long, and other tests need the thread.
            if index.isMultiple(of: 100) { await Task.yield() }
            let document = generator.document()
            let text = index.isMultiple(of: 2) ? document : generator.damaged(document)
            let ours = Result { () throws(JSONSyntaxError) in try JSONValue(parsing: text) }
            expectAgreement(of: ours, on: text)
            if index.isMultiple(of: 2), case .failure(let error) = ours { Issue.record("\(error) \(show(text))") }
            switch ours {
            case .success: tally.accepted += 1
            case .failure: tally.refused += 1
            }
            if !compare(ours, text) { tally.unlike += 1 }
        }
        print(
            "Differential: \(Self.count) texts, \(tally.accepted) accepted, \(tally.refused) refused, "
                + "\(tally.unlike) in a listed difference from Foundation.")
        #expect(tally.accepted > Self.count / 2 && tally.refused > Self.count / 5)
        #expect(tally.unlike < Self.count / 10)
    }

    /// The validating reader and the tape must agree with the tree.
    private func expectAgreement(of ours: Result<JSONValue, JSONSyntaxError>, on text: [UInt8]) {
        let raw = Result { () throws(JSONSyntaxError) in try RawJSON(validating: text) }
        let decoded = try? WireJSONDecoder().decode(
            [JSONValue].self, from: [UInt8(ascii: "[")] + text + [UInt8(ascii: "]")])
        switch (ours, raw) {
        case (.success(let value), .success(let raw)):
            if decoded != [value] { Issue.record("the tape has another value: \(show(text))") }
            if (try? JSONValue(raw)) != value { Issue.record("the raw bytes have another value: \(show(text))") }
            if (try? JSONValue(parsing: value.bytes)) != value { Issue.record("no round trip: \(show(text))") }
        case (.failure(let error), .failure(let other)) where error.reason == .unpairedSurrogate:
            // Only the tree makes strings. The validating reader reports the next fault.
            if other.offset <= error.offset { Issue.record("\(error) or \(other): \(show(text))") }
        case (.failure(let error), .failure(let other)):
            if error != other { Issue.record("\(error) or \(other): \(show(text))") }
        case (.failure(let error), .success) where error.reason == .unpairedSurrogate:
            break
        default:
            Issue.record("readers disagree: \(show(text))")
        }
    }

    /// Returns false for a listed difference.
    private func compare(_ ours: Result<JSONValue, JSONSyntaxError>, _ text: [UInt8]) -> Bool {
        let theirs = try? JSONSerialization.jsonObject(with: Data(text), options: .fragmentsAllowed)
        switch (ours, theirs) {
        case (.success(let value), let theirs?):
            if hasEquivalentNames(value) || hasRepeatedNames(text) { return false }
            if String(decoding: text, as: UTF8.self).unicodeScalars.contains("\u{FEFF}"), !isSame(value, theirs) {
                return false
            }
            if !isSame(value, theirs) { Issue.record("another value, \(theirs): \(show(text))") }
            return true
        case (.failure, nil):
            return true
        case (.success(let value), nil):
            if hasHugeNumber(value) || text.starts(with: [0xEF, 0xBB, 0xBF]) { return false }
            Issue.record("Foundation refuses \(show(text))")
            return true
        case (.failure(let error), _?):
            let isComma = error.offset > 0 && isCommaBefore(error.offset, in: text)
            if isComma || text.contains(0) || error.reason == .byteOrderMark { return false }
            Issue.record("Foundation takes \(show(text)): \(error)")
            return true
        }
    }

    private func show(_ text: [UInt8]) -> String {
        String(decoding: text, as: UTF8.self) + " = \(text)"
    }

    private func isCommaBefore(_ offset: Int, in text: [UInt8]) -> Bool {
        text[..<min(offset, text.count)].last { ![0x20, 0x0A, 0x0D, 0x09].contains($0) } == UInt8(ascii: ",")
    }

    private func hasRepeatedNames(_ text: [UInt8]) -> Bool {
        struct Anything: Decodable { init(from decoder: any Decoder) {} }
        var strict = WireJSONDecoder()
        strict.duplicateMemberStrategy = .refuse
        return (try? strict.decode(Anything.self, from: text)) == nil
    }

    private func hasEquivalentNames(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let object):
            Set(object.keys).count < object.count || object.values.contains(where: hasEquivalentNames)
        case .array(let elements): elements.contains(where: hasEquivalentNames)
        case .null, .bool, .number, .string: false
        }
    }

    private func hasHugeNumber(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let object): object.values.contains(where: hasHugeNumber)
        case .array(let elements): elements.contains(where: hasHugeNumber)
        case .number(let number): !number.double.isFinite || number.double == 0 && number != 0
        case .null, .bool, .string: false
        }
    }

    private func isSame(_ ours: JSONValue, _ theirs: Any) -> Bool {
        switch (ours, theirs) {
        case (.null, is NSNull): true
        case (.bool(let ours), let theirs as Bool): ours == theirs
        case (.string(let ours), let theirs as String): withoutMarks(ours) == withoutMarks(theirs)
        case (.number(let ours), let theirs as NSNumber):
            ours.int64 == theirs.int64Value || ours.uint64 == theirs.uint64Value
                || abs(ours.double - theirs.doubleValue) <= abs(ours.double) * 1e-14
        case (.array(let ours), let theirs as [Any]):
            ours.count == theirs.count && zip(ours, theirs).allSatisfy { isSame($0, $1) }
        case (.object(let ours), let theirs as [String: Any]):
            ours.count == theirs.count
                && ours.allSatisfy { name, value in theirs[name].map { isSame(value, $0) } ?? false }
        default: false
        }
    }

    private func withoutMarks(_ text: String) -> [UInt8] {
        Array(String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FEFF}" })).utf8)
    }
}
