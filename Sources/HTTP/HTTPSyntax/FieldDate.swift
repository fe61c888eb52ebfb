// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A date in a header field (RFC 9110 §5.6.7).
package struct FieldDate: Sendable, Hashable {
    /// The seconds since 1970, from the year 0 to the year 9999.
    package let seconds: Int64

    /// Makes a date. A time beyond the years 0 to 9999 becomes the nearest in that range.
    package init(seconds: Int64) { self.seconds = min(max(seconds, Self.earliest), Self.latest) }

    /// Parses a date in any of the three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`. White space around the date is ignored.
    ///
    /// The weekday is not compared with the date. A leap second counts as the first second of the next minute. The
    /// result is `nil` if the text is malformed, or names a day or time that does not exist.
    ///
    /// - Parameters:
    ///   - text: The date.
    ///   - now: The current time, in seconds since 1970. A two-digit year is at most 50 years later.
    package init?(_ text: String, now: Int64) {
        let text = FieldText.trimming(text[...])
        // The longest form has 33 characters.
        guard text.utf8.count <= 40,
            let time = Self.time(text.split(separator: " "), now: FieldDate(seconds: now).seconds)
        else { return nil }
        self.init(seconds: time)
    }

    /// The date in the preferred form, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    package var text: String {
        let day = DayNumber(dividing: seconds)
        let (year, month, dayOfMonth) = day.civil
        let secondOfDay = Int(seconds - day.value * 86_400)
        let weekday = Int(((day.value + 4) % 7 + 7) % 7)
        func padded(_ number: Int, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(width - digits.count, 0)) + digits
        }
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { padded($0) }
        return String(Self.weekdays[weekday].prefix(3))
            + ", \(padded(dayOfMonth)) \(Self.months[month - 1]) \(padded(year, 4)) " + time.joined(separator: ":")
            + " GMT"
    }

    private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// The start of the year 0 and the end of the year 9999.
    private static let earliest: Int64 = -62_167_219_200
    private static let latest: Int64 = 253_402_300_799
    /// Fifty years of average length.
    private static let fiftyYears: Int64 = 50 * 31_556_952
}

// MARK: Parsing

extension FieldDate {
    /// Returns the words of a date as seconds since 1970.
    private static func time(_ words: [Substring], now: Int64) -> Int64? {
        guard let first = words.first else { return nil }
        switch words.count {
        case 6 where isWeekday(first.dropLast(), full: false) && first.hasSuffix(",") && words[5] == "GMT":
            return time(number(words[3], digits: 4), words[2], words[1], words[4])
        case 4 where isWeekday(first.dropLast(), full: true) && first.hasSuffix(",") && words[3] == "GMT":
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false)
            guard parts.count == 3, let digits = number(parts[2], digits: 2) else { return nil }
            // Try the latest year with these digits, then the one a century earlier.
            let last = DayNumber(dividing: now).civil.year + 50
            let year = last - ((last - digits) % 100 + 100) % 100
            let times = [year, year - 100].compactMap { time($0, parts[1], parts[0], words[2]) }
            return times.first { $0 <= now + fiftyYears }
        case 5 where isWeekday(first, full: false):
            let day: Substring = words[2].utf8.count == 1 ? "0" + words[2] : words[2]
            return time(number(words[4], digits: 4), words[1], day, words[3])
        default: return nil
        }
    }

    private static func isWeekday(_ name: Substring, full: Bool) -> Bool {
        weekdays.contains { full ? name == $0 : name == $0.prefix(3) }
    }

    private static func number(_ text: Substring, digits: Int) -> Int? {
        text.utf8.count == digits ? FieldText.number(text.utf8, limit: 9999).map { Int($0) } : nil
    }

    private static func time(_ year: Int?, _ month: Substring, _ day: Substring, _ time: Substring) -> Int64? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, let year, let month = months.firstIndex(of: String(month)).map({ $0 + 1 }),
            let day = number(day, digits: 2).map({ DayNumber(year: year, month: month, day: $0) }),
            // A day that the month does not have is a day of another month.
            day.civil.month == month,
            let hour = number(parts[0], digits: 2), hour < 24,
            let minute = number(parts[1], digits: 2), minute < 60,
            let second = number(parts[2], digits: 2), second <= 60
        else { return nil }
        return day.value * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    }
}

// MARK: Retry-After

extension FieldDate {
    /// The longest delay in seconds. Larger values are lowered to it (RFC 9111 §1.2.2).
    package static let longestDelay: Int64 = 1 << 31

    /// Returns the seconds in a `Retry-After` field (RFC 9110 §10.2.3), from 0 to ``longestDelay``. White space around
    /// them is ignored. The result is `nil` for everything else, such as a date, a sign or a fraction.
    package static func delaySeconds(_ retryAfter: String) -> Int64? {
        FieldText.number(FieldText.trimming(retryAfter[...]).utf8, limit: longestDelay)
    }

    /// Returns the time to wait by a `Retry-After` field with seconds or a date, in seconds; `nil` if it is malformed. A
    /// date in the past means no delay.
    ///
    /// - Parameter now: The current time, in seconds since 1970.
    package static func delay(_ retryAfter: String, from now: Int64) -> Int64? {
        if let seconds = delaySeconds(retryAfter) { return seconds }
        guard let date = FieldDate(retryAfter, now: now) else { return nil }
        return min(max(date.seconds - FieldDate(seconds: now).seconds, 0), longestDelay)
    }
}

/// A day of the Gregorian calendar, counted from the first of January 1970.
private struct DayNumber {
    let value: Int64

    /// The day that contains a second since 1970.
    init(dividing seconds: Int64) { value = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400 }

    /// Years begin in March here, so that the leap day is the last day of a year.
    init(year: Int, month: Int, day: Int) {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        value = Int64(era * 146_097 + dayOfEra - 719_468)
    }

    var civil: (year: Int, month: Int, day: Int) {
        let shifted = Int(value) + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth + (shiftedMonth < 10 ? 3 : -9)
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
