public import Foundation
public import Readings

/// Hours and days as one user's clock on the wall counts them.
///
/// Days have 23 or 25 hours where clocks change. An hour is what the clock shows as one: it starts
/// at a full hour of local time, also where that is no full hour of UTC. Each moment belongs to
/// exactly one hour and one day.
public struct UserCalendar: Sendable {
    /// The zone's IANA name.
    public let timeZone: TimeZone

    /// Seconds of an hour on any clock.
    static let hourSeconds: Int64 = 3600

    /// - Parameter identifier: an IANA name; one that this system does not know counts as
    ///   ``Analysis/defaultTimeZone``.
    public init(_ identifier: String) {
        timeZone =
            TimeZone(identifier: identifier) ?? TimeZone(identifier: Analysis.defaultTimeZone)
            ?? .gmt
    }

    /// The start of the hour that `time` belongs to.
    public func hour(of time: Timestamp) -> Timestamp {
        let seconds = time.unixSeconds
        let local = seconds + offset(seconds)
        let past = ((local % Self.hourSeconds) + Self.hourSeconds) % Self.hourSeconds
        return Timestamp(unixSeconds: seconds - past)
    }

    /// When that hour is over.
    public func end(ofHour hour: Timestamp) -> Timestamp {
        Timestamp(microseconds: hour.microseconds + Self.hourSeconds * 1_000_000)
    }

    /// The date on the user's calendar.
    public func day(of time: Timestamp) -> LocalDay {
        let local = time.unixSeconds + offset(time.unixSeconds)
        let days = (local - Timestamp.unixEpochOffset).flooringDivision(by: 86_400)
        return LocalDay(daysSince2000: Int32(days))
    }

    /// From the day's first moment to the next day's.
    public func span(of day: LocalDay) -> Range<Timestamp> {
        start(of: day)..<start(of: LocalDay(daysSince2000: day.daysSince2000 + 1))
    }

    /// The hour on the clock, 0 to 23.
    public func hourOfDay(_ time: Timestamp) -> Int { minuteOfDay(time) / 60 }

    /// Minutes since midnight on the clock, 0 to 1439.
    public func minuteOfDay(_ time: Timestamp) -> Int {
        let local = time.unixSeconds + offset(time.unixSeconds)
        return Int(local - local.flooringDivision(by: 86_400) * 86_400) / 60
    }

    /// The clock as people write it: `09:05`.
    public func clock(_ time: Timestamp) -> String {
        let minute = minuteOfDay(time)
        return Self.twoDigits(minute / 60) + ":" + Self.twoDigits(minute % 60)
    }

    static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The first moment of a day. Where midnight is skipped by a change of the clock that is the
    /// moment of the change, and where it comes twice the first of the two.
    private func start(of day: LocalDay) -> Timestamp {
        let midnight = Int64(day.daysSince2000) * 86_400 + Timestamp.unixEpochOffset
        // The offset is at most a day away from UTC, and changes at most once in that time. Of the
        // moments that show this date the first one is found by halving.
        var before = midnight - 86_400 * 2
        var within = midnight + 86_400
        while within - before > 1 {
            let middle = before + (within - before) / 2
            if middle + offset(middle) >= midnight { within = middle } else { before = middle }
        }
        return Timestamp(unixSeconds: within)
    }

    private func offset(_ unixSeconds: Int64) -> Int64 {
        let date = Date(timeIntervalSince1970: Double(unixSeconds))
        return Int64(timeZone.secondsFromGMT(for: date))
    }
}

extension Int64 {
    /// Rounds towards minus infinity.
    func flooringDivision(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
