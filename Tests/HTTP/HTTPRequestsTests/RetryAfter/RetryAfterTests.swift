// swift-jsonrpc · SPDX-License-Identifier: MIT

import Foundation
import HTTPRequests
import HTTPTypes
import TestTurns
import Testing

/// The values that the syntax allows are tested in `HTTPSyntaxTests`.
@Suite("Retry-After and dates", .inTurn)
struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    static let example = Date(timeIntervalSince1970: 784_111_777)

    @Test func secondsAndDatesAreRead() {
        let now = Self.example.addingTimeInterval(-90)
        #expect(RetryAfter(" 120 ") == .seconds(120))
        #expect(RetryAfter("120")?.delay(from: now) == .seconds(120))
        #expect(RetryAfter("99999999999999999999") == .seconds(RetryAfter.longestDelaySeconds))
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", " Sun Nov  6 08:49:37 1994",
        ] {
            #expect(HTTPDate.date(from: text, now: now) == Self.example)
            #expect(RetryAfter(text, now: now) == .date(Self.example))
            #expect(RetryAfter(text, now: now)?.delay(from: now) == .seconds(90))
            #expect(RetryAfter(text, now: now)?.delay(from: Self.example.addingTimeInterval(5)) == .zero)
        }
        for text in ["", "-1", "soon", "Sun, 31 Nov 1994 08:49:37 GMT"] {
            #expect(RetryAfter(text) == nil && HTTPDate.date(from: text) == nil)
        }
    }

    @Test func theCurrentTimeDecidesTheCentury() throws {
        let now = try #require(HTTPDate.date(from: "Sun, 22 Nov 2026 07:00:00 GMT"))
        for (year, full) in [("76", 2076), ("77", 1977)] {
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

    @Test func writtenDatesAreReadAgain() {
        #expect(HTTPDate.string(from: Self.example) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.string(from: Date(timeIntervalSince1970: -0.5)) == "Wed, 31 Dec 1969 23:59:59 GMT")
        #expect(HTTPDate.date(from: HTTPDate.string(from: Self.example)) == Self.example)
    }

    @Test func theFirstOfSeveralFieldsCounts() {
        var fields: HTTPFields = [:]
        #expect(fields.retryDelay() == nil)
        fields[values: .retryAfter] = ["7", "9"]
        #expect(fields.retryDelay() == .seconds(7))
        fields[.retryAfter] = "soon"
        #expect(fields.retryDelay() == nil)
    }
}
