import Postgres
import Readings
import TestSupport
import Testing

@testable import Retention

/// Which day a round seals, and what it goes on past.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct SealingRunTests {
    @Test func `a day to which readings come is left alone, and late ones are packed in turns`() {
        let start = ContinuousClock.now
        let day = Day(number: 1)
        let (busy, calm) = (DayPartition(.vital, day), DayPartition(.gps, day))
        var pace = SealingPace(quietMin: .seconds(600), mergeInterval: .seconds(300))
        func quiet(_ rows: [DayPartition: Int], after seconds: Int) -> Set<DayPartition> {
            pace.quiet(rows, at: start + .seconds(seconds))
        }
        #expect(quiet([busy: 1000, calm: 1000], after: 0).isEmpty)
        #expect(quiet([busy: 1011, calm: 1010], after: 599).isEmpty)
        // Few late readings keep no day back, however long they come.
        #expect(quiet([busy: 1020, calm: 1010], after: 600) == [calm])
        #expect(quiet([busy: 1020, calm: 1012], after: 1198) == [])
        #expect(quiet([busy: 1020], after: 1199) == [busy])
        // Statistics were lost.
        #expect(quiet([busy: 3], after: 1300).isEmpty)
        #expect(quiet([busy: 0], after: 1900).isEmpty)
        #expect(quiet([busy: 0], after: 2500) == [busy])

        #expect(pace.mergeIsDue(at: start))
        pace.merged(isComplete: true, at: start)
        #expect(!pace.mergeIsDue(at: start + .seconds(299)))
        #expect(pace.mergeIsDue(at: start + .seconds(300)))
        pace.merged(isComplete: false, at: start + .seconds(300))
        #expect(pace.mergeIsDue(at: start + .seconds(301)))
    }

    @Test func `a round seals the oldest day that is old enough and not kept`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        for ago in [9, 4, 3, 2] { try rig.store(rig.day(ago: ago)) }
        rig.configuration.readingDays = 0
        rig.configuration.sealAfterDays = 2
        let before = try rig.bits()
        func round(bytesMin: Int = 0) throws -> DayPartition? {
            guard let session = try ArchiveSession(rig.connection, patience: .seconds(10)) else {
                throw ArchiveError.busy
            }
            defer { session.end() }
            var pace = SealingPace()
            switch try SealingRun(session, rig.configuration, bytesMin: bytesMin).next(&pace) {
            case .sealed(let partition, let figures, _):
                #expect(figures.readings == 1)
                return partition
            case .nothing: return nil
            case .impossible(let reason), .failed(_, let reason):
                Issue.record("\(reason)")
                return nil
            }
        }
        // Packed, they would be larger.
        #expect(try round(bytesMin: DayForm.liveBytesMin) == nil)
        let first = DayPartition(.gps, rig.day(ago: 9))
        #expect(try round() == first)
        try SealingTests.sealing(rig) { try $0.unseal(first, keep: .seconds(3600)) }
        var others: [DayPartition] = []
        while let partition = try round() { others.append(partition) }
        #expect(
            others
                == [9, 4, 3].flatMap { ago in
                    SealingTests.kinds.map { DayPartition($0, rig.day(ago: ago)) }
                }.filter { $0 != first })
        #expect(try rig.bits() == before)
        rig.configuration.sealAfterDays = 0
        #expect(try round() == nil)
    }

    @Test func `how long a day is kept outlives the end of the process that unseals it`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.readingDays = 0
        rig.configuration.sealAfterDays = 2
        let day = rig.day(ago: 5)
        try rig.store(day)
        let partition = DayPartition(.vital, day)
        try SealingTests.sealing(rig) { try $0.seal(partition) }
        #expect(throws: Crash.self) {
            try SealingTests.sealing(
                rig, step: { step, _ in if step == .exchange { throw Crash() } },
                { try $0.unseal(partition, keep: .seconds(86_400)) })
        }
        let session = try #require(try ArchiveSession(rig.connection, patience: .seconds(10)))
        var pace = SealingPace()
        _ = try SealingRun(session, rig.configuration, bytesMin: 0).next(&pace)
        session.end()
        #expect(
            try rig.count(
                "sluice.sealed_day WHERE kind = 'vital' AND state = 'live' "
                    + "AND keep_until > now() + interval '23 hours'") == 1)
    }

    @Test func `late readings that can't be packed are told, and keep no day back`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.readingDays = 0
        rig.configuration.sealAfterDays = 2
        try rig.store(rig.day(ago: 5))
        try rig.connection.execute(
            """
            CREATE OR REPLACE FUNCTION sluice.merge_late(devices_max integer DEFAULT 100)
            RETURNS integer LANGUAGE plpgsql AS $$ BEGIN RAISE 'no column'; END $$
            """)
        let session = try #require(try ArchiveSession(rig.connection, patience: .seconds(10)))
        defer { session.end() }
        var pace = SealingPace()
        let outcome = try SealingRun(session, rig.configuration, bytesMin: 0).next(&pace)
        if case .sealed = outcome {} else { Issue.record("\(outcome)") }
        #expect(
            try rig.count(
                "sluice.failing_now WHERE pass = 'sealing' AND item = 'late readings' "
                    + "AND last_error LIKE '%no column%'") == 1)
    }
}
