import Testing
import Times

@Suite struct CivilDateTests {
    @Test func `every day of ten thousand years has one date, one number and one text`() {
        var number = -730_119  // 0001-01-01
        for year in 1...9999 {
            for month in 1...12 {
                for day in 1...31 {
                    guard let date = CivilDate(year: year, month: month, day: day) else { continue }
                    let text = date.text
                    guard date.daysSince2000 == number, CivilDate(daysSince2000: number) == date,
                        CivilDate(text) == date
                    else {
                        Issue.record("\(text) is \(date.daysSince2000), not \(number)")
                        return
                    }
                    number += 1
                }
            }
        }
        // 10000-01-01: 20 cycles of 400 years after 2000-01-01.
        #expect(number == 20 * 146_097)
    }

    @Test(arguments: [
        (0, "2000-01-01"), (59, "2000-02-29"), (60, "2000-03-01"), (-1, "1999-12-31"),
        (-36_465, "1900-03-01"), (-730_119, "0001-01-01"), (2_921_939, "9999-12-31"),
        (CivilDate.unixEpochDay, "1970-01-01"),
    ])
    func `a day is written and read`(number: Int, text: String) throws {
        #expect(CivilDate(daysSince2000: number).text == text)
        let date = try #require(CivilDate(text))
        #expect(date.daysSince2000 == number)
        #expect(CivilDate("\(text)T00:00:00Z".prefix(10)) == date)
    }

    @Test(arguments: [
        (-730_120, "0000-12-31"), (-730_485, "0000-01-01"), (-730_486, "-0001-12-31"),
        (2_921_940, "10000-01-01"), (Int(Int32.max), "5881610-07-11"),
    ])
    func `days of other years are counted, and their text is not read`(number: Int, text: String) {
        let date = CivilDate(daysSince2000: number)
        #expect(date.text == text)
        #expect(date.daysSince2000 == number)
        #expect(CivilDate(text) == nil)
        #expect(CivilDate(year: date.year, month: date.month, day: date.day) == nil)
    }

    @Test func `the days of five thousand years before year one are counted`() {
        var later = CivilDate(daysSince2000: -730_119)
        for number in stride(from: -730_120, through: -2_600_000, by: -1) {
            let date = CivilDate(daysSince2000: number)
            guard date.daysSince2000 == number, date < later else {
                Issue.record("\(date.text) is not day \(number)")
                return
            }
            later = date
        }
    }

    @Test(arguments: [
        "", "2026", "2026-02-29", "1900-02-29", "2026-00-10", "2026-13-01", "2026-04-31",
        "2026-01-00", "2026-01-32", "0000-01-01", "2026-1-24", "26-01-24", "2026-01-24 ",
        " 2026-01-24", "2026/01/24", "2026-0124", "20260124", "2026-01-2x", "-026-01-24",
        "+026-01-24", "2026-+1-24", "a-b-c", "12026-01-01", "2026-01-24T", "２026-01", "９999-01-01",
    ])
    func `other texts are no date`(text: String) {
        #expect(CivilDate(text) == nil)
    }

    @Test(arguments: [
        (2024, 2, 29, true), (2000, 2, 29, true), (1900, 2, 29, false), (2023, 2, 29, false),
        (0, 1, 1, false), (10_000, 1, 1, false), (2026, 0, 1, false), (2026, 13, 1, false),
        (2026, 1, 0, false), (2026, 12, 31, true), (2026, 11, 31, false), (-4, 1, 1, false),
        (Int.max, Int.max, Int.max, false), (Int.min, Int.min, Int.min, false),
    ])
    func `a month has the right number of days`(year: Int, month: Int, day: Int, exists: Bool) {
        #expect((CivilDate(year: year, month: month, day: day) != nil) == exists)
    }

    @Test func `an earlier date is smaller`() throws {
        let texts = ["0001-01-01", "1999-12-31", "2000-01-01", "2000-01-02", "2000-02-01"]
        let dates = try texts.map { try #require(CivilDate($0)) }
        #expect(dates.reversed().sorted() == dates)
    }
}
