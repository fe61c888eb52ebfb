// swift-jsonrpc · SPDX-License-Identifier: MIT

/// A parser of the value of a `Retry-After` field (RFC 9110 §10.2.3).
enum RetryAfter {
    /// The maximum number of seconds. Larger numbers count as this number (RFC 9111 §1.2.2).
    private static let maximumSeconds: Int64 = 1 << 31

    /// Returns the time to wait; `nil` for a value that is neither a number of seconds nor a date. `now` is the current
    /// time in seconds since 1970.
    static func duration(_ value: String, now: Int64) -> Duration? {
        if !value.isEmpty, value.utf8.allSatisfy(URLCharacters.isDigit) {
            return .seconds(min(Int64(value) ?? maximumSeconds, maximumSeconds))
        }
        guard let date = HTTPDate.seconds(value, now: now) else { return nil }
        return .seconds(min(max(date - now, 0), maximumSeconds))
    }
}

/// A parser of the three forms of a date in HTTP (RFC 9110 §5.6.7).
///
/// - `Sun, 06 Nov 1994 08:49:37 GMT`
/// - `Sunday, 06-Nov-94 08:49:37 GMT`
/// - `Sun Nov  6 08:49:37 1994`
enum HTTPDate {
    /// Returns the seconds since 1970; `nil` if the text is not a date. `now` is the current time. It decides the
    /// century of a year with two digits: the date is at most 50 years ahead.
    static func seconds(_ text: String, now: Int64) -> Int64? {
        // No date is longer than this, even with the longest weekday.
        guard text.utf8.count <= 40 else { return nil }
        let parts = text.split { " ,-:".contains($0) }.map(String.init)
        if parts.count == 7 { return seconds(day: parts[2], month: parts[1], year: parts[6], time: parts[3...5]) }
        guard parts.count == 8, parts[7] == "GMT" else { return nil }
        func date(_ century: String) -> Int64? {
            seconds(day: parts[1], month: parts[2], year: century + parts[3], time: parts[4...6])
        }
        guard parts[3].utf8.count == 2 else { return date("") }
        return date("20").flatMap { $0 > now + 50 * 31_556_952 ? date("19") : $0 }
    }

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private static func seconds(
        day: String, month: String, year: String, time: ArraySlice<String>
    ) -> Int64? {
        let time = time.compactMap { number($0, digits: 2, in: 0...60) }
        guard let day = number(day, digits: 2, in: 1...31), let month = months.firstIndex(of: month),
            let year = number(year, digits: 4, in: 1970...9999), time.count == 3, time[0] < 24, time[1] < 60
        else { return nil }
        return days(year, Int64(month) + 1, day) * 86_400 + time[0] * 3600 + time[1] * 60 + time[2]
    }

    private static func number(_ text: String, digits: Int, in range: ClosedRange<Int64>) -> Int64? {
        guard text.utf8.count <= digits, text.utf8.allSatisfy(URLCharacters.isDigit), let number = Int64(text),
            range.contains(number)
        else { return nil }
        return number
    }

    /// Returns the days from 1970-01-01 to a date of the Gregorian calendar. Years begin in March, so that the leap day
    /// is the last day of a year.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
    }
}
