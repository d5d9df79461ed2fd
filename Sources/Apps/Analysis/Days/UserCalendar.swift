public import Foundation
public import Readings

/// Hours and days on one user's wall clock.
///
/// A day on which clocks change has 23 or 25 hours. An hour starts at a full hour of local time,
/// even if that is not a full hour of UTC. Each moment belongs to exactly one hour and one day.
public struct UserCalendar: Sendable {
    /// The user's time zone.
    public let timeZone: TimeZone

    /// Seconds in an hour.
    static let hourSeconds: Int64 = 3600

    /// - Parameter identifier: an IANA name. ``Analysis/defaultTimeZone`` replaces a name that this
    ///   system does not know.
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

    /// The end of an hour that starts at `hour`.
    public func end(ofHour hour: Timestamp) -> Timestamp {
        Timestamp(microseconds: hour.microseconds + Self.hourSeconds * 1_000_000)
    }

    /// The date of `time` on the user's calendar.
    public func day(of time: Timestamp) -> LocalDay {
        let local = time.unixSeconds + offset(time.unixSeconds)
        let days = (local - Timestamp.unixEpochOffset).flooringDivision(by: 86_400)
        return LocalDay(daysSince2000: Int32(days))
    }

    /// The time from the first moment of the day to the first moment of the next.
    public func span(of day: LocalDay) -> Range<Timestamp> {
        start(of: day)..<start(of: LocalDay(daysSince2000: day.daysSince2000 + 1))
    }

    /// The hour on the wall clock, 0 to 23.
    public func hourOfDay(_ time: Timestamp) -> Int { minuteOfDay(time) / 60 }

    /// Minutes since midnight on the wall clock, 0 to 1439.
    public func minuteOfDay(_ time: Timestamp) -> Int {
        let local = time.unixSeconds + offset(time.unixSeconds)
        return Int(local - local.flooringDivision(by: 86_400) * 86_400) / 60
    }

    /// The wall clock's time in the form `09:05`.
    public func clock(_ time: Timestamp) -> String {
        let minute = minuteOfDay(time)
        return Self.twoDigits(minute / 60) + ":" + Self.twoDigits(minute % 60)
    }

    static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    /// The first moment of a day. If a clock change skips midnight, it is the moment of the change.
    /// If midnight occurs twice, it is the first one.
    private func start(of day: LocalDay) -> Timestamp {
        let midnight = Int64(day.daysSince2000) * 86_400 + Timestamp.unixEpochOffset
        // Local time differs from UTC by at most a day and changes at most once in that time. A
        // binary search finds the first moment with this date.
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
