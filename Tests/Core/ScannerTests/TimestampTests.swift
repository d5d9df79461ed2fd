import Foundation
import Readings
import Scanner
import ScannerSupport
import Testing

/// Times through the scanner, compared with Foundation's calendar.
@Suite(.timeLimit(.minutes(10))) struct `A timestamp` {
    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(secondsFromGMT: 0)!
        return calendar
    }()

    /// An age limit that allows all times in these tests.
    private static let limits = {
        var limits = ReadingLimits()
        limits.ageMax = .seconds(200 * 366 * 86_400)
        limits.aheadMax = .seconds(200 * 366 * 86_400)
        return limits
    }()

    struct Written {
        let text: String
        /// Microseconds since 2000.
        let expected: Int64
    }

    @Test(arguments: Array(1990...2030))
    func `is right on every day of the year`(_ year: Int) throws {
        var written: [Written] = []
        for month in 1...12 {
            for day in 1...31 where Self.dayStart(year, month, day) != nil {
                let start = Self.dayStart(year, month, day)!
                let date = "\(year)-\(Self.pad(month))-\(Self.pad(day))"
                let second: Int64 = 1_000_000
                written += [
                    Written(text: "\(date)T00:00:00Z", expected: start),
                    Written(
                        text: "\(date)t23:59:59.999999z", expected: start + 86_400 * second - 1),
                    Written(text: "\(date) 12:34:56", expected: start + 45_296 * second),
                    Written(text: "\(date)T00:00:00+00:01", expected: start - 60 * second),
                    Written(text: "\(date)T23:59:59-2359", expected: start + 172_739 * second),
                    Written(
                        text: "\(date)T00:29:59.5+0530",
                        expected: start - 18_001 * second + second / 2),
                ]
            }
        }
        #expect(written.count == 6 * (Self.isLeap(year) ? 366 : 365))
        try check(written)
    }

    @Test func `may be in any year of four digits`() throws {
        var limits = ReadingLimits()
        limits.ageMax = .seconds(10_000 * 366 * 86_400)
        limits.aheadMax = .seconds(10_000 * 366 * 86_400)
        // Foundation's calendar is Julian before 1582. These values are computed by hand from 146
        // 097 days in 400 years.
        let day: Int64 = 86_400_000_000
        try check(
            [
                Written(text: "0001-01-01T00:00:00Z", expected: -730_119 * day),
                Written(text: "0001-01-01T00:00:00+23:59", expected: -730_120 * day + 60_000_000),
                Written(text: "0400-02-29T00:00:00Z", expected: (-4 * 146_097 + 59) * day),
                Written(text: "1600-03-01T00:00:00Z", expected: (-146_097 + 60) * day),
                Written(text: "1900-03-01T00:00:00Z", expected: -36_465 * day),
                Written(text: "1999-12-31T23:59:59.9999999Z", expected: -1),
                Written(text: "2000-01-01T00:00:00Z", expected: 0),
                Written(text: "2100-03-01T00:00:00Z", expected: (36_525 + 59) * day),
                Written(text: "2400-02-29T00:00:00Z", expected: (146_097 + 59) * day),
                Written(
                    text: "9999-12-31T23:59:59.999999-23:59",
                    expected: 20 * 146_097 * day + 86_339_999_999),
            ], limits: limits)
    }

    @Test(arguments: [
        (0, 946_684_800), (999_999, 946_684_800), (-1, 946_684_799), (-1_000_000, 946_684_799),
        (-1_000_001, 946_684_798), (-946_684_800_000_000, 0), (-946_684_800_000_001, -1),
    ])
    func `has whole seconds since 1970 that are rounded down`(
        _ microseconds: Int64, _ seconds: Int64
    ) {
        #expect(Timestamp(microseconds: microseconds).unixSeconds == seconds)
    }

    @Test func `is now when Foundation's clock says so`() {
        let before = Timestamp(unixSeconds: Int64(Date().timeIntervalSince1970) - 1)
        let now = Timestamp.now()
        let after = Timestamp(unixSeconds: Int64(Date().timeIntervalSince1970) + 2)
        #expect(before < now && now < after)
    }

    @Test(arguments: [1900, 1996, 1999, 2000, 2023, 2024, 2025, 2026, 2027, 2028, 2100])
    func `is refused on days that do not exist`(_ year: Int) throws {
        var readings: [String] = []
        var reasons: [QuarantineReason] = []
        for month in 0...13 {
            for day in [0, 1, 28, 29, 30, 31, 32] where Self.dayStart(year, month, day) == nil {
                readings.append(vital("\(year)-\(Self.pad(month))-\(Self.pad(day))T00:00:00Z"))
                reasons.append(.timeInvalid)
            }
        }
        let batch = try #require(
            agreed(on: ScannerTests.batch(readings), limits: Self.limits).batch)
        #expect(batch.problems.map(\.reason) == reasons)
    }

    @Test func `with a damaged character means the same to scanner and reference`() {
        let sound = Array("2026-02-10T14:57:07.123456+05:30".utf8)
        let others = Array("0123456789 -+:.,TtZz/;A`".utf8)
        for length in [19, 20, 23, 24, 26, 29, 32] {
            var readings: [String] = []
            for place in 0..<length {
                for other in others {
                    var text = Array(sound[..<length])
                    text[place] = other
                    readings.append(vital(String(decoding: text, as: UTF8.self)))
                }
            }
            agreed(on: batch(readings), [.whole, .pieces(of: 1000)], limits: Self.limits)
        }
    }

    /// The parser keeps a minute that it has read.
    @Test func `of the same minute as the one before has its seconds checked, too`() {
        let characters = Array("0123456789 -+:.,TtZz/;A`")
        for end in ["", "Z", ".5Z", "+01:00"] {
            var readings = [vital("2026-02-10T14:57:07Z")]
            for tens in characters {
                readings += characters.map { vital("2026-02-10T14:57:\(tens)\($0)\(end)") }
            }
            agreed(on: batch(readings), [.whole, .pieces(of: 1000)], limits: Self.limits)
        }
    }

    /// A double of this size is exact to a quarter of a microsecond only.
    @Test(arguments: [
        "\"2026-02-10T14:57:07.1234569Z\"", "\"2026-02-10T14:57:07.123456999999999999Z\"",
        "1770735427.1234569", "1770735427.123456999999999999", "1770735427123.4569",
        "17707354271234569e-7", "1.7707354271234569E9", "\"1770735427123.456999\"",
        "1770735427.123456", "177073542712345600e-8",
    ])
    func `keeps the same microsecond in all forms`(_ time: String) throws {
        let reading = "{\"type\":\"vital\",\"t\":\(time),\"code\":1,\"val\":1}"
        let batch = try #require(
            agreed(on: ScannerTests.batch([reading]), limits: Self.limits).batch)
        #expect(batch.problems == [])
        let tuple = batch.devices[0][.vital].tuples
        #expect(tuple[18..<26].reduce(0) { $0 << 8 | Int64($1) } == 824_050_627_123_456)
    }

    private func check(_ written: [Written], limits: ReadingLimits = limits) throws {
        let body = batch(written.map { vital($0.text) })
        let batch = try #require(agreed(on: body, [.whole], limits: limits).batch)
        #expect(batch.problems == [])
        let tuples = batch.devices[0][.vital].tuples
        for (index, written) in written.enumerated() where tuples.count >= (index + 1) * 44 {
            let time = tuples[index * 44 + 18..<index * 44 + 26].reduce(0) { $0 << 8 | Int64($1) }
            #expect(time == written.expected, "\(written.text)")
        }
    }

    private func vital(_ time: String) -> String {
        "{\"type\":\"vital\",\"t\":\"\(time)\",\"code\":1,\"val\":1}"
    }

    /// Nil when that day does not exist.
    private static func dayStart(_ year: Int, _ month: Int, _ day: Int) -> Int64? {
        let components = DateComponents(year: year, month: month, day: day)
        guard components.isValidDate(in: calendar), let date = calendar.date(from: components)
        else { return nil }
        return Int64(date.timeIntervalSince1970 - 946_684_800) * 1_000_000
    }

    private static func isLeap(_ year: Int) -> Bool {
        dayStart(year, 2, 29) != nil
    }

    private static func pad(_ number: Int) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}
