import Readings
import Times

/// Reads times as the libraries of phones, Java, Python and PostgreSQL write them.
///
/// - Date: `YYYY-MM-DD` or `YYYYMMDD`, then `T`, `t` or a space.
/// - Clock: `HH:MM:SS`, or `HHMMSS` after the second form of the date. Seconds may be missing. They
///   may have a fraction, after a point or comma. Second 60 is the next second, and `24:00:00` the
///   next midnight.
/// - Zone: `Z`, `z`, `±HH`, `±HH:MM`, `±HHMM`, or nothing, which means UTC.
/// - A number: seconds since 1970 below 1e11, milliseconds from there on. Only the years 1 to 9999,
///   so that a count of microseconds is refused rather than stored.
/// - Digits beyond the microsecond are dropped, of a text as of a number. A number is read from its
///   digits, because a double is not that exact.
///
/// The fast path knows the first form of the date with seconds below 60 only.
///
/// Keeps the last minute: the readings of a batch are close together, so the 17 bytes before the
/// seconds are mostly the same, and are compared as two words and a byte. If the minute differs,
/// the day mostly does not.
package struct TimestampParser {
    /// `YYYY-MM-` and `DDTHH:MM`, with a `T` whatever the input had.
    private var minuteStart: UInt64 = 0
    private var minuteRest: UInt64 = 0
    /// The kept minute, in microseconds since 2000, as if it were UTC.
    private var minute: Int64 = 0
    /// The kept day, counted from 2000-01-01.
    private var day = 0

    /// Reads a string's contents, from `position` to after its closing quote.
    ///
    /// - Returns: microseconds since 2000-01-01 UTC; nil when it is not a plain timestamp or is
    ///   incomplete, `position` is then unchanged.
    @inline(always)
    mutating func read(_ window: Window, at position: inout Int) -> Int64? {
        let index = position
        if window.load64(index) == minuteStart, window.load64(index &+ 8) == minuteRest,
            window[index &+ 16] == 0x3A
        {
            let tens = window[index &+ 17] &- 0x30
            let ones = window[index &+ 18] &- 0x30
            if tens > 5 || ones > 9 { return nil }
            let time = minute &+ (Int64(tens) &* 10 &+ Int64(ones)) &* 1_000_000
            if window.load16(index &+ 19) == 0x225A {  // Z"
                position = index &+ 21
                return time
            }
            if window[index &+ 19] == 0x2E,
                let fraction = Self.fractionToZulu(window, at: index &+ 20)
            {
                position = fraction.end
                return time &+ fraction.microseconds
            }
        }
        guard let unremembered = readUnremembered(window, at: index) else { return nil }
        position = unremembered.end
        return unremembered.time
    }

    /// `digits Z "`; nil for anything else.
    @inline(always)
    private static func fractionToZulu(
        _ window: Window, at start: Int
    ) -> (microseconds: Int64, end: Int)? {
        var index = start
        var value = 0 as Int64
        while window[index] &- 0x30 <= 9 {
            if index &- start < 6 { value = value &* 10 &+ Int64(window[index] &- 0x30) }
            index &+= 1
        }
        let digits = index &- start
        if digits == 0 || window.load16(index) != 0x225A { return nil }
        if digits < 6 { value &*= scale[digits] }
        return (value, index &+ 2)
    }

    private static let scale: InlineArray<6, Int64> = [1_000_000, 100_000, 10_000, 1000, 100, 10]

    @inline(never)
    private mutating func readUnremembered(
        _ window: Window, at start: Int
    ) -> (time: Int64, end: Int)? {
        let end = window.plainTextEnd(from: start)
        guard window[end] == 0x22, end - start >= Self.bytesMin else { return nil }
        let text = window.text(start..<end)
        let date = window.load64(start).littleEndian
        // The byte at 10 may be any of three; the fast comparison expects a T.
        let rest = window.load64(start + 8).littleEndian & ~0xFF_0000 | 0x54_0000
        let isDayKnown =
            minuteStart.littleEndian == date && minuteRest.littleEndian & 0xFFFF == rest & 0xFFFF
        guard let day = isDayKnown ? day : Self.day(in: text),
            let minuteInDay = Self.minuteInDay(in: text),
            let microseconds = Self.microsecondsInMinute(in: text)
        else { return nil }
        minuteStart = date.littleEndian
        minuteRest = rest.littleEndian
        minute = Int64(day * 1440 + minuteInDay) * 60_000_000
        self.day = day
        return (minute + microseconds, end + 1)
    }

    /// `YYYY-MM-DDTHH:MM:SS`
    private static let bytesMin = 19

    /// Reads any form of text, also for other modules: microseconds since 2000-01-01 UTC; nil when
    /// it is not a time.
    package static func parse(_ text: UnsafeBufferPointer<UInt8>) -> Int64? {
        let isExtended = text.count > 4 && text[4] == 0x2D
        guard let day = isExtended ? day(in: text) : basicDay(in: text) else { return nil }
        var index = isExtended ? 10 : 8
        guard index < text.count, text[index] | 0x20 == 0x74 || text[index] == 0x20 else {
            return nil
        }
        index += 1
        guard let hour = number(text, index, 2), hour <= 24 else { return nil }
        index += 2
        func next() -> Int? {
            let colon = isExtended ? 1 : 0
            guard !isExtended || index < text.count && text[index] == 0x3A,
                let value = number(text, index + colon, 2)
            else { return nil }
            index += colon + 2
            return value
        }
        guard let minute = next(), minute <= 59 else { return nil }
        var microseconds = 0
        if let second = next() {
            guard second <= 60, let fraction = fraction(text, at: &index) else { return nil }
            microseconds = second * 1_000_000 + fraction
        }
        if hour == 24, minute != 0 || microseconds != 0 { return nil }
        guard let offset = offset(text, at: index) else { return nil }
        return Int64((day * 24 + hour) * 60 + minute - offset) * 60_000_000 + Int64(microseconds)
    }

    /// Reads a number that is valid JSON: microseconds since 2000-01-01 UTC; nil outside the years 1
    /// to 9999.
    static func time(of number: Range<Int>, _ window: Window) -> Int64? {
        let power = window.number(in: number).magnitude < 1e11 ? 6 : 3
        guard let since1970 = window.floor(of: number, timesTenTo: power) else { return nil }
        let time = Timestamp(microseconds: since1970 - Timestamp.unixEpochOffset * 1_000_000)
        return time.hasFourDigitYear ? time.microseconds : nil
    }

    @inline(always)
    private static func number(
        _ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ digits: Int
    ) -> Int? {
        guard start + digits <= text.count else { return nil }
        var value = 0
        for index in start..<start + digits {
            guard text[index] &- 0x30 <= 9 else { return nil }
            value = value * 10 + Int(text[index] &- 0x30)
        }
        return value
    }

    /// `YYYY-MM-DD`, as days since 2000-01-01.
    private static func day(in text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text.count >= 10, let year = number(text, 0, 4), text[4] == 0x2D,
            let month = number(text, 5, 2), text[7] == 0x2D, let day = number(text, 8, 2)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)?.daysSince2000
    }

    /// `YYYYMMDD`, as days since 2000-01-01.
    private static func basicDay(in text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let year = number(text, 0, 4), let month = number(text, 4, 2),
            let day = number(text, 6, 2)
        else { return nil }
        return CivilDate(year: year, month: month, day: day)?.daysSince2000
    }

    /// `THH:MM:` after `YYYY-MM-DD`.
    private static func minuteInDay(in text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard text[10] | 0x20 == 0x74 || text[10] == 0x20,
            let hour = number(text, 11, 2), hour <= 23, text[13] == 0x3A,
            let minute = number(text, 14, 2), minute <= 59, text[16] == 0x3A
        else { return nil }
        return hour * 60 + minute
    }

    /// Seconds, fraction and offset after `YYYY-MM-DDTHH:MM:`. May be negative east of Greenwich.
    private static func microsecondsInMinute(in text: UnsafeBufferPointer<UInt8>) -> Int64? {
        var index = 19
        guard let second = number(text, 17, 2), second <= 59,
            let fraction = fraction(text, at: &index), let offset = offset(text, at: index)
        else { return nil }
        return Int64((second - offset * 60) * 1_000_000 + fraction)
    }

    /// Microseconds after a point or comma; 0 if there is neither, nil if no digit follows one.
    private static func fraction(
        _ text: UnsafeBufferPointer<UInt8>, at index: inout Int
    ) -> Int? {
        guard index < text.count, text[index] == 0x2E || text[index] == 0x2C else { return 0 }
        index += 1
        let start = index
        var microseconds = 0
        while index < text.count, text[index] &- 0x30 <= 9 {
            if index - start < 6 { microseconds = microseconds * 10 + Int(text[index] &- 0x30) }
            index += 1
        }
        guard index > start else { return nil }
        for _ in min(index - start, 6)..<6 { microseconds *= 10 }
        return microseconds
    }

    /// Minutes east of Greenwich, from `index` to the end; nil if that is no zone.
    private static func offset(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> Int? {
        let rest = text.count - index
        guard rest > 0 else { return 0 }
        let sign = text[index]
        if sign | 0x20 == 0x7A { return rest == 1 ? 0 : nil }
        guard sign == 0x2B || sign == 0x2D, let hours = number(text, index + 1, 2), hours <= 23
        else { return nil }
        var minutes = 0
        if rest > 3 {
            guard rest == 5 || rest == 6 && text[index + 3] == 0x3A,
                let given = number(text, text.count - 2, 2), given <= 59
            else { return nil }
            minutes = given
        }
        return (hours * 60 + minutes) * (sign == 0x2D ? -1 : 1)
    }
}

extension Window {
    /// The bytes in `range`, on loan.
    func text(_ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        precondition(range.lowerBound >= 0 && range.upperBound <= end, "BUG: range=\(range)")
        return UnsafeBufferPointer(start: base + range.lowerBound, count: range.count)
    }
}
