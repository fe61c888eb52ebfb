// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPSyntax
import TestSupport
import TestTurns
import Testing

@Suite("Retry-After and dates", .inTurn)
struct FieldDateTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110 §5.6.7.
    static let example: Int64 = 784_111_777
    /// Sun, 22 Nov 2026 07:00:00 GMT.
    static let now: Int64 = 1_795_330_800

    // MARK: Retry-After

    @Test func secondsAreReadAndBounded() {
        let cases: [(String, Int64)] = [
            ("0", 0), ("120", 120), (" \t7 ", 7), ("007", 7), ("2147483648", 1 << 31), ("2147483649", 1 << 31),
            ("99999999999999999999999", 1 << 31), (String(repeating: "9", count: 1_000_000), 1 << 31),
        ]
        for (text, seconds) in cases {
            #expect(FieldDate.delaySeconds(text) == seconds)
            #expect(FieldDate.delay(text, from: Self.example) == seconds)
        }
    }

    @Test(arguments: [
        "", " ", "-1", "+1", "1.5", "1e9", "1 2", "0x10", "١", "soon", "1s", "120,", "1\u{0}",
        "-99999999999999999999999999", String(repeating: "9 ", count: 10_000), "06 Nov 1994", "Sun, 06 Nov",
    ])
    func otherTextsAreRefused(text: String) {
        #expect(FieldDate.delaySeconds(text) == nil)
        #expect(FieldDate.delay(text, from: Self.now) == nil)
        #expect(FieldDate(text, now: Self.now) == nil)
    }

    @Test(arguments: [
        "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        "Sun Nov 06 08:49:37 1994", "  Mon, 06 Nov 1994 08:49:37 GMT ",
    ])
    func allThreeFormsOfDatesAreRead(text: String) {
        let (date, now) = (FieldDate(seconds: Self.example), Self.example - 90)
        #expect(FieldDate(text, now: now) == date)
        #expect(FieldDate.delaySeconds(text) == nil)
        #expect(FieldDate.delay(text, from: now) == 90)
        #expect(FieldDate.delay(text, from: Self.example + 5) == 0)
    }

    @Test func extremeTimesDoNotOverflow() throws {
        let last = "Fri, 31 Dec 9999 23:59:60 GMT"
        let first = "Sat, 01 Jan 0000 00:00:00 GMT"
        for now in [Int64.min, -1, 0, Self.example, .max] {
            #expect(FieldDate.delay(first, from: now) == 0)
            #expect([0, FieldDate.longestDelay].contains(try #require(FieldDate.delay(last, from: now))))
            #expect(FieldDate("Sunday, 06-Nov-94 08:49:37 GMT", now: now) != nil)
            #expect(FieldDate(FieldDate(seconds: now).text, now: 0) == FieldDate(seconds: now))
        }
        #expect(FieldDate.delay(last, from: Self.example) == FieldDate.longestDelay)
    }

    // MARK: Dates

    @Test(arguments: [
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 31 Nov 1994 08:49:37 GMT", "Wed, 29 Feb 2023 00:00:00 GMT",
        "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun 06 Nov 1994 08:49:37 GMT", "Son, 06 Nov 1994 08:49:37 GMT", "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, +6 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 19940 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT", "Sunday, 06-Nov-1994 08:49:37 GMT", "Sun, 06 Nov -994 08:49:37 GMT",
        "Sun, 06 Nov -1 08:49:37 GMT", "Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:37:00 GMT", "Sunday, 06-Nov 08:49:37 GMT", "Sun Nov  6 08:49:37 99999",
        "Sun, 06 Nov １９９４ 08:49:37 GMT", "Sun-06-Nov-1994-08-49-37-GMT", "Sunday, 29-Feb-23 08:49:37 GMT",
    ])
    func datesThatDoNotExistAreRefused(text: String) {
        #expect(FieldDate(text, now: Self.now) == nil)
        #expect(FieldDate.delay(text, from: Self.now) == nil)
    }

    @Test(arguments: [
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Tue, 29 Feb 2000 23:59:60 GMT", 951_868_800),
        ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800), ("Fri, 31 Dec 2100 00:00:00 GMT", 4_133_894_400),
    ])
    func datesAreThoseOfTheCalendar(date: String, seconds: Int64) {
        #expect(FieldDate(date, now: 0)?.seconds == seconds)
    }

    /// A two-digit year that would be more than 50 years ahead is in the past.
    @Test(arguments: [
        ("06-Nov-26", 2026), ("20-Nov-76", 2076), ("24-Nov-76", 1976), ("06-Nov-77", 1977), ("06-Nov-94", 1994),
        ("06-Nov-00", 2000), ("06-Nov-37", 2037),
    ])
    func aDateWithAYearOfTwoDigitsIsAtMostFiftyYearsAhead(day: String, year: Int) throws {
        let date = try #require(FieldDate("Sunday, \(day) 08:49:37 GMT", now: Self.now))
        #expect(date.text.contains(" Nov \(year) "))
    }

    @Test func theCenturyIsThatOfTheCurrentTime() throws {
        let end = try #require(FieldDate("Thu, 31 Dec 2099 12:00:00 GMT", now: 0)).seconds
        #expect(FieldDate("Friday, 01-Jan-01 00:00:00 GMT", now: end)?.text == "Sat, 01 Jan 2101 00:00:00 GMT")
        let middle = try #require(FieldDate("Wed, 01 Jun 2050 00:00:00 GMT", now: 0)).seconds
        // 2100 has no such day.
        #expect(FieldDate("Tuesday, 29-Feb-00 00:00:00 GMT", now: middle)?.text == "Tue, 29 Feb 2000 00:00:00 GMT")
    }

    @Test func writtenDatesAreReadAgain() throws {
        #expect(FieldDate(seconds: Self.example).text == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(FieldDate(seconds: 0).text == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(FieldDate(seconds: -1).text == "Wed, 31 Dec 1969 23:59:59 GMT")
        var random = SeededGenerator(seed: 1994)
        let calendar = try #require(
            TimeZone(secondsFromGMT: 0).map { zone in
                var calendar = Calendar(identifier: .gregorian)
                calendar.timeZone = zone
                return calendar
            })
        for _ in 0..<2000 {
            let date = FieldDate(seconds: Int64.random(in: -12_000_000_000...253_402_300_799, using: &random))
            let text = date.text
            #expect(FieldDate(text, now: 0) == date)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .weekday], from: Date(timeIntervalSince1970: Double(date.seconds)))
            let weekday = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"][try #require(parts.weekday) - 1]
            #expect(text.hasPrefix(weekday))
            #expect(text.contains("\(try #require(parts.year)) "))
        }
    }
}
