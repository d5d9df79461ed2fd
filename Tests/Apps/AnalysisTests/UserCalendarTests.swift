import Foundation
import Readings
import TestSupport
import Testing

@testable import Analysis

@Suite struct UserCalendarTests {
    @Test(arguments: [
        ("America/New_York", "2026-01-24", 24), ("America/New_York", "2026-03-08", 23),
        ("America/New_York", "2026-11-01", 25), ("Europe/Berlin", "2026-03-29", 23),
        ("Europe/Berlin", "2026-10-25", 25), ("Asia/Kolkata", "2026-03-29", 24),
        ("UTC", "2026-03-08", 24),
    ])
    func `days have the hours that the clock gives them`(
        _ zone: String, _ text: String, _ hours: Int64
    ) throws {
        let calendar = UserCalendar(zone)
        let day = try #require(LocalDay(text))
        let span = calendar.span(of: day)
        let seconds = (span.upperBound.microseconds - span.lowerBound.microseconds) / 1_000_000
        #expect(seconds == hours * 3600)
        #expect(calendar.day(of: span.lowerBound) == day)
        let before = Timestamp(microseconds: span.lowerBound.microseconds - 1)
        #expect(calendar.day(of: before).daysSince2000 == day.daysSince2000 - 1)
        let last = Timestamp(microseconds: span.upperBound.microseconds - 1)
        #expect(calendar.day(of: last) == day)
    }

    @Test func `a midnight that the clock skips begins the day at one`() throws {
        let calendar = UserCalendar("America/Sao_Paulo")
        let day = try #require(LocalDay("2018-11-04"))
        let span = calendar.span(of: day)
        #expect(span.lowerBound == TestMoments.time("2018-11-04T03:00:00Z"))
        #expect(calendar.clock(span.lowerBound) == "01:00")
    }

    @Test func `a day that a country skipped is empty`() throws {
        let day = try #require(LocalDay("2011-12-30"))
        #expect(UserCalendar("Pacific/Apia").span(of: day).isEmpty)
    }

    @Test func `hours are full on the user's clock, not in UTC`() {
        let calendar = UserCalendar("Asia/Kolkata")
        let time = TestMoments.time("2026-01-24T15:47:12Z")
        let hour = calendar.hour(of: time)
        #expect(hour == TestMoments.time("2026-01-24T15:30:00Z"))
        #expect(calendar.clock(hour) == "21:00")
        #expect(calendar.clock(time) == "21:17")
    }

    @Test(arguments: [
        "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe", "America/St_Johns",
        "Pacific/Chatham", "Europe/Dublin", "America/Sao_Paulo",
    ])
    func `each moment is in the hour and the day that it belongs to`(_ zone: String) {
        let calendar = UserCalendar(zone)
        var generator = Dice(seed: 3)
        for _ in 0..<4000 {
            let time = Timestamp(
                microseconds: .random(in: 0...1_000_000_000_000_000, using: &generator))
            let hour = calendar.hour(of: time)
            #expect(hour <= time && time < calendar.end(ofHour: hour))
            #expect(calendar.minuteOfDay(time) / 60 == calendar.hourOfDay(time))
            let day = calendar.day(of: time)
            let span = calendar.span(of: day)
            #expect(span.contains(time), "\(time.secondsText) in \(day.text)")
        }
    }

    @Test func `an unknown zone is replaced by the default one`() {
        #expect(UserCalendar("Mars/Olympus").timeZone.identifier == Analysis.defaultTimeZone)
    }

    @Test(arguments: ["2026-01-24", "2000-02-29", "1969-12-31", "0001-01-01", "9999-12-31"])
    func `dates keep their written form`(_ text: String) {
        #expect(LocalDay(text)?.text == text)
    }

    @Test(arguments: [
        "2026-02-29", "2026-13-01", "26-01-24", "2026-1-24", "", "2026-01-24 ", "a-b-c",
    ])
    func `a text that is not a date is refused`(_ text: String) {
        #expect(LocalDay(text) == nil)
    }

    @Test func `a date in words has its weekday`() {
        #expect(LocalDay("2026-01-24")?.words == "Saturday, 24 January 2026")
        #expect(LocalDay("1999-12-31")?.words == "Friday, 31 December 1999")
        #expect(TestMoments.time("2026-01-24T15:30:00Z").secondsText == "2026-01-24T15:30:00Z")
    }
}
