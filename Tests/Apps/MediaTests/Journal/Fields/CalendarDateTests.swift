import Foundation
import Testing

@testable import Media

struct CalendarDateTests {
    @Test(arguments: [
        ("2026-01-24T10:30:00Z", 822_565_800_000_000), ("2026-01-24", 822_528_000_000_000),
        ("2000-01-01T00:00:00Z", 0), ("1999-12-31T23:59:59.5Z", -500_000),
        ("2026-01-24T10:30:00.123456789Z", 822_565_800_123_456),
        ("2026-01-24T10:30:00+02:00", 822_558_600_000_000),
        ("2026-01-24T10:30:00-0530", 822_585_600_000_000),
        ("2026-01-24T10:30:00+02", 822_558_600_000_000),
        ("20260124T103000Z", 822_565_800_000_000), ("2026-01-24T10:30", 822_565_800_000_000),
        ("2026-01-24 10:30:00", 822_565_800_000_000), ("2026-01-23T24:00:00Z", 822_528_000_000_000),
        ("2026-01-24T10:29:60Z", 822_565_800_000_000), ("20260124", 822_528_000_000_000),
        ("20260124T1030", 822_565_800_000_000), ("2026-01-24t10:30:00,5z", 822_565_800_500_000),
        ("2024-02-29", 762_480_000_000_000), ("0001-01-01", -63_082_281_600_000_000),
    ])
    func `a date is the moment that it denotes`(text: String, moment: Int64) throws {
        let date = try #require(CalendarDate(text))
        #expect(date.moment == moment)
        #expect(date.text == text)
    }

    @Test(arguments: [
        "", "2026", "2026-01", "2026-1-24", "2026-02-29", "2026-13-01", "2026-00-10", "2026-04-31",
        "0000-01-01", "2026-01-24T", "2026-01-24T24:00:01Z", "2026-01-24T10:60:00Z",
        "2026-01-24T10:30:61Z",
        "2026-01-24T10:30:00.Z",
        "2026-01-24T10:30:00+24:00", "2026-01-24T10:30:00Zx", "2026-01-24T1030", "20260124T10:30",
        "tomorrow", "1640995200", "0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59",
        " 2026-01-24", "2026-0124", "２026-01-24",
    ])
    func `anything else is refused`(text: String) {
        #expect(CalendarDate(text) == nil)
    }

    @Test(arguments: [
        ("2013-05-24T00:00:00.000Z", 1_369_353_600), ("2024-02-29T23:59:59Z", 1_709_251_199),
        ("1970-01-01", 0), ("1969-12-31T23:59:59.999Z", -1),
        ("1999-12-31T23:59:59.5Z", 946_684_799),
    ])
    func `S3's times are seconds since 1970`(text: String, seconds: Int64) {
        #expect(CalendarDate(text)?.unixSeconds == seconds)
    }

    @Test func `it agrees with Foundation over four thousand years`() throws {
        let formatter = ISO8601DateFormatter()
        for day in stride(from: -3_000_000_000, to: 60_000_000_000 as Double, by: 7_654_321) {
            let date = Date(timeIntervalSince1970: day)
            let text = formatter.string(from: date)
            let read = try #require(CalendarDate(text), "\(text)")
            #expect(read.moment == Int64(day - 946_684_800) * 1_000_000, "\(text)")
        }
    }
}
