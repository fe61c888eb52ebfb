// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import TestSupport
import TestTurns
import Testing

@Suite("Retry-After and dates", .inTurn)
struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let example = Date(timeIntervalSince1970: 784_111_777)

    @Test func secondsAreRead() {
        let cases: [(String, Int64)] = [
            ("0", 0), ("120", 120), (" \t7 ", 7), ("007", 7), ("2147483648", 1 << 31), ("2147483649", 1 << 31),
            ("99999999999999999999999", 1 << 31), (String(repeating: "9", count: 1_000_000), 1 << 31),
        ]
        for (text, seconds) in cases {
            #expect(RetryAfter(text) == .seconds(seconds))
            #expect(RetryAfter(text)?.delay(from: Self.example) == .seconds(seconds))
        }
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "1e9", "1 2", "0x10", "١", "soon", "1s", "120,", "1\u{0}",
        "-99999999999999999999999999",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(RetryAfter(text) == nil)
        #expect(HTTPDate.date(from: text) == nil)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun Nov 06 08:49:37 1994", "  Mon, 06 Nov 1994 08:49:37 GMT ",
    ])
    func allThreeFormsOfDatesAreRead(text: String) {
        let now = Self.example.addingTimeInterval(-90)
        #expect(RetryAfter(text, now: now) == .date(Self.example))
        #expect(RetryAfter(text, now: now)?.delay(from: now) == .seconds(90))
        #expect(RetryAfter(text, now: now)?.delay(from: Self.example.addingTimeInterval(5)) == .zero)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:37:00 GMT",
        "Sunday, 06-Nov 08:49:37 GMT", "Sun Nov  6 08:49:37 99999", "Sun, 06 Nov １９９４ 08:49:37 GMT",
    ])
    func datesThatDoNotExistAreRefused(text: String) {
        #expect(HTTPDate.date(from: text) == nil)
        #expect(RetryAfter(text) == nil)
    }

    @Test func aYearOfTwoDigitsIsAtMostFiftyYearsAhead() throws {
        let now = try #require(HTTPDate.date(from: "Sun, 22 Nov 2026 07:00:00 GMT"))
        for (year, full) in [("26", 2026), ("76", 2076), ("77", 1977), ("94", 1994), ("00", 2000)] {
            let date = try #require(HTTPDate.date(from: "Sunday, 06-Nov-\(year) 08:49:37 GMT", now: now))
            #expect(HTTPDate.string(from: date).contains(" Nov \(full) "))
        }
        for extreme in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)] {
            #expect(HTTPDate.date(from: "Sunday, 06-Nov-94 08:49:37 GMT", now: extreme) != nil)
        }
    }

    @Test func extremeDatesDoNotOverflow() throws {
        let last = try #require(RetryAfter("Fri, 31 Dec 9999 23:59:60 GMT"))
        #expect(last.delay(from: Self.example) == .seconds(RetryAfter.longestDelaySeconds))
        #expect(try #require(RetryAfter("Sat, 01 Jan 0000 00:00:00 GMT")).delay(from: Self.example) == .zero)
        for interval in [Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude] {
            let date = Date(timeIntervalSince1970: interval)
            let delay = RetryAfter.date(date).delay(from: Self.example)
            #expect(delay >= .zero && delay <= .seconds(RetryAfter.longestDelaySeconds))
            #expect(RetryAfter.date(Self.example).delay(from: date) >= .zero)
            #expect(!HTTPDate.string(from: date).isEmpty)
        }
        #expect(RetryAfter.seconds(.max).delay(from: Self.example) == .seconds(RetryAfter.longestDelaySeconds))
        #expect(RetryAfter.seconds(.min).delay(from: Self.example) == .zero)
    }

    @Test func writtenDatesAreReadAgain() throws {
        #expect(HTTPDate.string(from: Self.example) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.string(from: Date(timeIntervalSince1970: 0)) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.string(from: Date(timeIntervalSince1970: -0.5)) == "Wed, 31 Dec 1969 23:59:59 GMT")
        var random = SeededGenerator(seed: 1994)
        let calendar = try #require(
            TimeZone(secondsFromGMT: 0).map { zone in
                var calendar = Calendar(identifier: .gregorian)
                calendar.timeZone = zone
                return calendar
            })
        for _ in 0..<2000 {
            let date = Date(
                timeIntervalSince1970: Double(Int64.random(in: -12_000_000_000...253_402_300_799, using: &random)))
            let text = HTTPDate.string(from: date)
            #expect(HTTPDate.date(from: text) == date)
            let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second, .weekday], from: date)
            let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][try #require(parts.weekday) - 1]
            #expect(text.hasPrefix(weekday))
            #expect(text.contains("\(try #require(parts.year)) "))
        }
    }
}
