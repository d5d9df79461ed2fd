import Times

/// An ISO 8601 date as the apps and S3 send it, and the moment it stands for.
///
/// Accepts a day, or a day and a time, in the extended form (`2026-01-24T10:30:00Z`) or the basic
/// form (`20260124T103000Z`). Seconds, their fraction and the zone (`Z`, `±hh`, `±hhmm`, `±hh:mm`)
/// are optional. Years are 0001 to 9999. A time without a zone is UTC; a day alone is its midnight,
/// UTC.
struct CalendarDate: Sendable, Equatable {
    /// As the client sent it.
    let text: String
    /// Microseconds since 2000-01-01 UTC.
    let moment: Int64

    /// - Returns: nil when the text is not such a date.
    init?(_ text: String) {
        var rest = Array(text.utf8)[...]
        guard let day = Self.takeDay(&rest) else { return nil }
        var moment = Int64(day.days) * 86_400_000_000
        if !rest.isEmpty {
            guard let first = rest.popFirst(),
                first == UInt8(ascii: "T") || first == UInt8(ascii: "t"),
                let time = Self.takeTime(&rest, isExtended: day.isExtended), rest.isEmpty
            else { return nil }
            moment += time
        }
        self.text = text
        self.moment = moment
    }

    /// Whole seconds since 1970, rounded down.
    var unixSeconds: Int64 {
        let (seconds, rest) = moment.quotientAndRemainder(dividingBy: 1_000_000)
        return (rest < 0 ? seconds - 1 : seconds) - Int64(CivilDate.unixEpochDay) * 86_400
    }

    private static func takeDay(
        _ rest: inout ArraySlice<UInt8>
    ) -> (days: Int, isExtended: Bool)? {
        guard let year = take(4, &rest) else { return nil }
        let isExtended = rest.first == UInt8(ascii: "-")
        if isExtended { rest.removeFirst() }
        guard let month = take(2, &rest) else { return nil }
        if isExtended { guard rest.popFirst() == UInt8(ascii: "-") else { return nil } }
        guard let day = take(2, &rest), let date = CivilDate(year: year, month: month, day: day)
        else { return nil }
        return (date.daysSince2000, isExtended)
    }

    private static func takeTime(_ rest: inout ArraySlice<UInt8>, isExtended: Bool) -> Int64? {
        guard let hour = take(2, &rest), hour < 24, takeColon(&rest, isExtended),
            let minute = take(2, &rest), minute < 60
        else { return nil }
        var time = Int64(hour * 60 + minute) * 60_000_000
        if let next = rest.first, (48...58).contains(next) {
            guard takeColon(&rest, isExtended), let second = take(2, &rest), second < 60 else {
                return nil
            }
            time += Int64(second) * 1_000_000
            if rest.first == UInt8(ascii: ".") || rest.first == UInt8(ascii: ",") {
                rest.removeFirst()
                guard let fraction = takeFraction(&rest) else { return nil }
                time += fraction
            }
        }
        guard let offset = takeZone(&rest) else { return nil }
        return time - offset
    }

    /// Microseconds; further digits are cut off.
    private static func takeFraction(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        let digits = rest.prefix { (48...57).contains($0) }
        guard !digits.isEmpty else { return nil }
        rest.removeFirst(digits.count)
        var value = Int64(0)
        for place in 0..<6 {
            let digit = place < digits.count ? digits[digits.startIndex + place] - 48 : 0
            value = value * 10 + Int64(digit)
        }
        return value
    }

    /// Microseconds east of Greenwich.
    private static func takeZone(_ rest: inout ArraySlice<UInt8>) -> Int64? {
        guard let sign = rest.popFirst() else { return 0 }
        if sign == UInt8(ascii: "Z") || sign == UInt8(ascii: "z") { return 0 }
        guard sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-"), let hour = take(2, &rest),
            hour < 24
        else { return nil }
        var minute = 0
        if !rest.isEmpty {
            if rest.first == UInt8(ascii: ":") { rest.removeFirst() }
            guard let given = take(2, &rest), given < 60 else { return nil }
            minute = given
        }
        let offset = Int64(hour * 60 + minute) * 60_000_000
        return sign == UInt8(ascii: "-") ? -offset : offset
    }

    private static func takeColon(_ rest: inout ArraySlice<UInt8>, _ isExtended: Bool) -> Bool {
        guard isExtended else { return rest.first != UInt8(ascii: ":") }
        return rest.popFirst() == UInt8(ascii: ":")
    }

    private static func take(_ count: Int, _ rest: inout ArraySlice<UInt8>) -> Int? {
        let digits = rest.prefix(count)
        guard digits.count == count, digits.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        rest.removeFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 48) }
    }
}
