// swift-jsonrpc · SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Dates in header fields (RFC 9110 §5.6.7).
public enum HTTPDate {
    /// Parses a date in any of the three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT` and
    /// `Sun Nov  6 08:49:37 1994`.
    ///
    /// The name of the weekday is not compared with the date. A leap second is the first second of the next minute.
    ///
    /// - Parameters:
    ///   - text: The date.
    ///   - now: The current time. A year of two digits that would be more than 50 years later is in the past.
    /// - Returns: The date; `nil` if the text is malformed, or names a day or time that does not exist.
    public static func date(from text: String, now: Date = Date()) -> Date? {
        date(from: FieldText.trimming(text[...].utf8), now: now)
    }

    /// Writes a date in the preferred form, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// Fractions of a second are dropped. A date before the year 0 or after 9999 becomes the nearest date in that range.
    public static func string(from date: Date) -> String {
        let interval = date.timeIntervalSince1970
        let seconds: Int64 =
            interval.isNaN ? 0 : Int64(min(max(interval.rounded(.down), Double(earliest)), Double(latest)))
        let day = DayNumber(dividing: seconds)
        let (year, month, dayOfMonth) = day.civil
        let secondOfDay = Int(seconds - day.value * 86_400)
        let weekday = Int(((day.value + 4) % 7 + 7) % 7)
        func padded(_ number: Int, _ width: Int = 2) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(width - digits.count, 0)) + digits
        }
        let time = [secondOfDay / 3600, secondOfDay / 60 % 60, secondOfDay % 60].map { padded($0) }
        return String(weekdays[weekday].prefix(3)) + ", \(padded(dayOfMonth)) \(months[month - 1]) \(padded(year, 4)) "
            + time.joined(separator: ":") + " GMT"
    }

    private static let weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    /// The start of the year 0 and the end of the year 9999, in seconds since 1970.
    private static let earliest: Int64 = -62_167_219_200
    private static let latest: Int64 = 253_402_300_799

    static func date(from text: Substring.UTF8View, now: Date) -> Date? {
        // The longest form has 33 characters.
        guard text.count <= 40 else { return nil }
        let words = String(Substring(text)).split(whereSeparator: { $0 == " " }).map(String.init)
        guard let first = words.first else { return nil }
        switch words.count {
        case 6 where isWeekday(first.dropLast(), full: false) && first.hasSuffix(",") && words[5] == "GMT":
            return date(day: words[1], month: words[2], year: number(words[3], digits: 4), time: words[4])
        case 4 where isWeekday(first.dropLast(), full: true) && first.hasSuffix(",") && words[3] == "GMT":
            let parts = words[1].split(separator: "-", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 3 else { return nil }
            return date(
                day: parts[0], month: parts[1], year: number(parts[2], digits: 2).map { fullYear($0, now: now) },
                time: words[2])
        case 5 where isWeekday(first[...], full: false):
            let day = words[2].utf8.count == 1 ? "0" + words[2] : words[2]
            return date(day: day, month: words[1], year: number(words[4], digits: 4), time: words[3])
        default: return nil
        }
    }

    private static func isWeekday(_ name: Substring, full: Bool) -> Bool {
        weekdays.contains { full ? name == $0 : name == $0.prefix(3) }
    }

    private static func number(_ text: String, digits: Int) -> Int? {
        text.utf8.count == digits ? FieldText.number(text.utf8, limit: 9999).map(Int.init) : nil
    }

    private static func fullYear(_ year: Int, now: Date) -> Int {
        let seconds = now.timeIntervalSince1970
        guard seconds > Double(earliest), seconds < Double(latest) else { return 1900 + year }
        let thisYear = DayNumber(dividing: Int64(seconds.rounded(.down))).civil.year
        let full = thisYear / 100 * 100 + year
        return full > thisYear + 50 ? full - 100 : full
    }

    private static func date(day: String, month: String, year: Int?, time: String) -> Date? {
        let parts = time.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let year, let month = months.firstIndex(of: month).map({ $0 + 1 }),
            let day = number(day, digits: 2), (1...DayNumber.length(ofMonth: month, year: year)).contains(day),
            let hour = number(parts[0], digits: 2), hour < 24,
            let minute = number(parts[1], digits: 2), minute < 60,
            let second = number(parts[2], digits: 2), second <= 60
        else { return nil }
        let days = DayNumber(year: year, month: month, day: day).value
        return Date(timeIntervalSince1970: Double(days * 86_400 + Int64(hour * 3600 + minute * 60 + second)))
    }
}

/// A day of the Gregorian calendar, counted from the first of January 1970.
private struct DayNumber {
    let value: Int64

    /// The day that contains a second since 1970.
    init(dividing seconds: Int64) { value = (seconds - (seconds % 86_400 + 86_400) % 86_400) / 86_400 }

    /// The years begin in March here, so that the leap day is the last day of a year.
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

    static func length(ofMonth month: Int, year: Int) -> Int {
        switch month {
        case 4, 6, 9, 11: 30
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        default: 31
        }
    }
}
