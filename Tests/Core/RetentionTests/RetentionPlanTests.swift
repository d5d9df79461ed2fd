import Readings
import Testing

@testable import Retention

struct RetentionPlanTests {
    @Test(
        arguments: [
            ("2000-01-01", 0), ("2000-02-29", 59), ("2000-03-01", 60), ("1999-12-31", -1),
            ("2026-11-21", 9821), ("1900-03-01", -36_465), ("0001-01-01", -730_119),
        ] as [(String, Int32)])
    func `a day has a number and a text`(text: String, number: Int32) throws {
        #expect(Day(text) == Day(number: number))
        #expect(Day(number: number).text == text)
        #expect(Day(text.replacing("-", with: "")) == Day(number: number))
    }

    @Test func `every day of four hundred years can be read back from its text`() throws {
        for number in Int32(-73_000)...73_097 {
            let day = Day(number: number)
            #expect(Day(day.compactText) == day)
        }
    }

    @Test(arguments: [
        "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-1-01", "20260229",
        "2026-0101", "", "x", "00000101", "2026-01-01 ", "２０２６0101", "2026-1-1", "20é60101",
    ])
    func `texts that are no day are rejected`(text: String) {
        #expect(Day(text) == nil)
    }

    @Test func `a partition is recognised by its name`() throws {
        let day = try #require(Day("2025-01-31"))
        for kind in DayTable.allCases {
            let partition = DayPartition(kind, day)
            #expect(DayPartition(name: partition.name) == partition)
        }
        #expect(DayPartition(name: "gps_rollup_20250131")?.kind.timeColumn == "hour")
        for name in [
            "leaving_1_gps_20250131", "gps_2025013", "gps20250131", "gps-20250131",
            "other_20250131", "gps_20250132", "20250131", "_20250131", "",
        ] { #expect(DayPartition(name: name) == nil) }
    }

    @Test func `partitions older than their limit are due, the oldest first`() throws {
        let today = try #require(Day("2026-03-31"))
        var configuration = RetentionConfiguration()
        configuration.readingDays = 30
        let names = [
            "vital_20260228", "gps_20260301", "gps_20260228", "event_20251231", "gps_20260401",
            "vital_rollup_20251231", "leaving_1_gps_20250101", "something",
        ]
        func due(_ kept: Set<DayPartition> = []) -> [String] {
            RetentionPlan.due(names: names, today: today, kept: kept, configuration).map(\.name)
        }
        #expect(due() == ["event_20251231", "gps_20260228", "vital_20260228"])
        let kept = try #require(DayPartition(name: "gps_20260228"))
        #expect(due([kept]) == ["event_20251231", "vital_20260228"])
        configuration.rollupDays = 60
        #expect(due().contains("vital_rollup_20251231"))
        configuration.readingDays = 0
        #expect(due() == ["vital_rollup_20251231"])
        configuration.rollupDays = 0
        #expect(due().isEmpty)
    }

    @Test(arguments: 2...40)
    func `no accepted reading belongs to a day that is due`(days: Int) throws {
        var configuration = RetentionConfiguration()
        configuration.readingDays = days
        let age = try #require(configuration.acceptedAgeMax)
        // The oldest reading that is accepted at the last moment of the run's day.
        let today = try #require(Day("2026-03-31"))
        let seconds = Int(today.number) * 86_400 - Int(age.components.seconds)
        let oldest = Day(number: Int32(seconds / 86_400))
        for ago in days...(days + 3) {
            let partition = DayPartition(.gps, today.before(days: ago))
            let leaves = !RetentionPlan.due(
                names: [partition.name], today: today, configuration
            ).isEmpty
            #expect(leaves == (ago > days))
            if leaves { #expect(partition.day < oldest.before(days: 1)) }
        }
    }
}
