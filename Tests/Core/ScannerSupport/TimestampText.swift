import Readings

/// Parses a time in its wire format, digit by digit.
struct TimestampText {
    private var rest: ArraySlice<UInt8>

    /// Microseconds since 2000-01-01 UTC, or nil when `text` is not a timestamp.
    static func timestamp(of text: [UInt8]) -> Timestamp? {
        var reading = TimestampText(rest: text[...])
        return reading.timestamp()
    }

    private mutating func timestamp() -> Timestamp? {
        guard let year = number(digits: 4) else { return nil }
        let hyphen = take("-") == nil ? "" : "-"
        let colon = hyphen.isEmpty ? "" : ":"
        guard let month = number(digits: 2), takes(hyphen), let day = number(digits: 2),
            take("Tt ") != nil, let hour = number(digits: 2), takes(colon),
            let minute = number(digits: 2)
        else { return nil }
        var second = 0
        var microseconds = 0
        if colon.isEmpty ? rest.first.map(Self.isDigit) == true : take(":") != nil {
            guard let given = number(digits: 2), let fraction = fraction() else { return nil }
            (second, microseconds) = (given, fraction)
        }
        guard let offset = offsetMinutes(), rest.isEmpty else { return nil }
        guard year >= 1, (1...12).contains(month),
            (1...Self.days(inMonth: month, of: year)).contains(day),
            hour <= 23 || hour == 24 && minute == 0 && second == 0 && microseconds == 0,
            minute <= 59, second <= 60
        else { return nil }
        let days = Self.daysBefore(year: year, month: month) + day - 1 - Self.daysBefore2000
        let seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
        return Timestamp(microseconds: Int64(seconds) * 1_000_000 + Int64(microseconds))
    }

    /// Seconds since 1970 below 1e11, milliseconds from there on; nil outside the years 1 to 9999.
    static func timestamp(ofNumber text: [UInt8]) -> Timestamp? {
        let number = Double(String(decoding: text, as: UTF8.self)) ?? .infinity
        guard abs(number) < 1e15 else { return nil }
        let decimal = DecimalText(text)
        let places = decimal.exponent - decimal.fractionDigits + (abs(number) < 1e11 ? 6 : 3)
        let digits = decimal.digits.drop { $0 == 0 }
        let kept = digits.dropLast(max(0, -places))
        let isCut = digits.dropFirst(kept.count).contains { $0 > 0 }
        guard !kept.isEmpty else {
            return Timestamp(
                microseconds: -946_684_800_000_000 - (decimal.isNegative && isCut ? 1 : 0))
        }
        guard kept.count + max(0, places) <= 18 else { return nil }
        var microseconds = kept.reduce(0 as Int64) { $0 * 10 + Int64($1) }
        for _ in 0..<max(0, places) { microseconds *= 10 }
        if decimal.isNegative { microseconds = -microseconds - (isCut ? 1 : 0) }
        guard microseconds >= -62_135_596_800_000_000, microseconds < 253_402_300_800_000_000
        else { return nil }
        return Timestamp(microseconds: microseconds - 946_684_800_000_000)
    }

    /// Nil when there is a point or comma without digits; 0 when there is neither.
    private mutating func fraction() -> Int? {
        guard take(".,") != nil else { return 0 }
        var microseconds = 0
        var taken = 0
        while let digit = number(digits: 1) {
            if taken < 6 { microseconds = microseconds * 10 + digit }
            taken += 1
        }
        guard taken > 0 else { return nil }
        for _ in taken..<max(6, taken) { microseconds *= 10 }
        return microseconds
    }

    /// Minutes east of UTC; nil when the text at this place is not a zone.
    private mutating func offsetMinutes() -> Int? {
        guard !rest.isEmpty else { return 0 }
        if take("Zz") != nil { return 0 }
        guard let sign = take("+-"), let hours = number(digits: 2), hours <= 23 else { return nil }
        var minutes = 0
        if !rest.isEmpty {
            _ = take(":")
            guard let given = number(digits: 2), given <= 59 else { return nil }
            minutes = given
        }
        return (hours * 60 + minutes) * (sign == "-" ? -1 : 1)
    }

    private mutating func takes(_ text: String) -> Bool { text.isEmpty || take(text) != nil }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private mutating func take(_ any: String) -> Character? {
        guard let first = rest.first,
            let found = any.first(where: { $0.asciiValue == first })
        else { return nil }
        rest.removeFirst()
        return found
    }

    private mutating func number(digits: Int) -> Int? {
        var number = 0
        guard rest.count >= digits else { return nil }
        for byte in rest.prefix(digits) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        rest.removeFirst(digits)
        return number
    }

    // MARK: - The Gregorian calendar

    static func isLeap(_ year: Int) -> Bool {
        year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    }

    static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 0001-01-01 to the first day of that month.
    private static func daysBefore(year: Int, month: Int) -> Int {
        let past = year - 1
        let leapDays = past / 4 - past / 100 + past / 400
        return (1..<month).reduce(past * 365 + leapDays) { $0 + days(inMonth: $1, of: year) }
    }

    private static let daysBefore2000 = daysBefore(year: 2000, month: 1)
}
