import Foundation
import Postgres
import Readings
import TestSupport
import Testing

@testable import Retention

@Suite(.timeLimit(.minutes(10)), .serialized)
struct DepartureTests {
    @Test func `a day is archived to a file that zstd reads, and is restored bit by bit`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try rig.store(rig.day(ago: 30))
        let before = try rig.bits()
        let report = try rig.run()
        #expect(report.failures.isEmpty)
        #expect(report.archived.map(\.kind) == [.gps, .vital, .event])
        #expect(report.rows == 3)
        #expect(try rig.count("sluice.gps") == 1)
        #expect(try rig.count("pg_tables WHERE tablename LIKE 'leaving%'") == 0)
        let name = "gps_\(rig.day(ago: 31).compactText)"
        #expect(rig.files().contains(name + ".csv.zst") && rig.files().contains(name + ".json"))
        let text = try Self.output("zstd", ["-dc", "\(rig.directory)/\(name).csv.zst"])
        let row = "1,,,\(rig.day(ago: 31).text) 10:00:00.000001+00,52.5,-0,,,,\n"
        #expect(text == "device_key,device_id,user_id,t,lat,lon,acc,alt,vacc,motion\n" + row)
        let manifest = try rig.archive.manifest(of: name + ".csv.zst")
        #expect(manifest.rows == 1 && manifest.devices == 1 && manifest.devicesComplete == 0)
        #expect(manifest.columns.prefix(4) == ["device_key", "device_id", "user_id", "t"])
        // A second run has nothing to do.
        #expect(try rig.run().archived.isEmpty)

        #expect(try rig.restore() == [.restored(rows: 1), .restored(rows: 1), .restored(rows: 1)])
        #expect(try rig.bits() == before)
        #expect(try rig.restore() == [.wasThere, .wasThere, .wasThere])
        #expect(try rig.bits() == before)
        // A restored day is kept, however old it is.
        #expect(try rig.run().archived.isEmpty)
        #expect(try rig.bits() == before)
    }

    /// Stores rows of a known device, and marks their hours as due.
    private static func storeDue(_ rig: Rig, _ day: Day) throws {
        try rig.store(day)
        try rig.connection.execute(
            """
            INSERT INTO sluice.device (device_key, device_id, user_id) VALUES (1, 'd', 'u');
            INSERT INTO sluice.device_state (device_key, key_check) VALUES (1, 1);
            INSERT INTO sluice.rollup_due
                SELECT device_key, sluice.hour_of(t), 'gps' FROM sluice.gps
                UNION ALL SELECT device_key, sluice.hour_of(t), 'vital' FROM sluice.vital
            """)
    }

    @Test func `a day's hours are summed before it is archived`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try Self.storeDue(rig, rig.day(ago: 31))
        #expect(try rig.run().failures.isEmpty)
        #expect(try rig.count("sluice.gps") == 0)
        #expect(try rig.count("sluice.vital") == 0)
        #expect(try rig.count("sluice.rollup_due") == 0)
        for view in ["vital_hour", "distance_hour", "vital_day", "device_day"] {
            #expect(try rig.count("analytics.\(view)") == 1, "\(view)")
        }
        // After the restore its sums are the same.
        _ = try rig.restore()
        #expect(try rig.count("analytics.vital_hour WHERE readings = 1") == 1)
    }

    @Test func `a day with values from before they were bounded leaves, and returns`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 31).text
        try Self.storeDue(rig, rig.day(ago: 31))
        try rig.connection.execute(
            """
            INSERT INTO sluice.vital VALUES (1, '\(day) 23:30:00+00', 1, 1.797e308),
                (1, '\(day) 23:40:00+00', 1, 1.797e308);
            INSERT INTO sluice.gps VALUES (1, '\(day) 10:30:00+00', 7e-310, 0),
                (1, '\(day) 10:40:00+00', 0, 5e-324)
            """)
        let before = try rig.bits()
        #expect(try rig.run().failures.isEmpty)
        #expect(try rig.count("sluice.gps") == 0)
        #expect(try rig.count("analytics.vital_day WHERE readings = 3 AND mean = 'Infinity'") == 1)
        _ = try rig.restore()
        for kind in [DayTable(.gps), DayTable(.vital)] {
            #expect(try rig.bits()[kind] == before[kind])
        }
        #expect(try rig.count("analytics.vital_day WHERE readings = 3 AND mean = 'Infinity'") == 1)
    }

    @Test func `a day whose hours can't be summed is not archived`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try Self.storeDue(rig, rig.day(ago: 31))
        let writer = try rig.open()
        defer { writer.close() }
        try writer.execute("BEGIN; SELECT FROM sluice.device_state FOR UPDATE")
        let report = try rig.run()
        #expect(report.failures.map(\.partition.kind) == [.gps, .vital])
        #expect(try rig.count("sluice.gps") == 1)
        #expect(try rig.count("sluice.vital") == 1)
        try writer.execute("ROLLBACK")
        #expect(try rig.run().failures.isEmpty)
        #expect(try rig.count("analytics.device_day") == 1)
    }

    @Test(arguments: [DepartureStep.detach, .noteDetached])
    func `readings that are stored while a day is archived are summed too`(at chosen: DepartureStep)
        throws
    {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 31)
        try Self.storeDue(rig, day)
        let writer = try rig.open()
        defer { writer.close() }
        var isDone = false
        let report = try rig.run { step, partition in
            guard step == chosen, partition.kind == .vital, !isDone else { return }
            isDone = true
            // After the detach the row goes into the detached table, as if it had been stored
            // before.
            let table =
                step == .detach
                ? "sluice.vital" : "sluice_partitions.leaving_1_vital_\(day.compactText)"
            try writer.execute(
                """
                INSERT INTO \(table) VALUES (1, '\(day.text) 23:00:00+00', 1, 50);
                INSERT INTO sluice.rollup_due VALUES (1, '\(day.text) 23:00:00+00', 'vital')
                """)
        }
        #expect(report.failures.isEmpty)
        #expect(try rig.count("sluice.vital") == 0)
        #expect(try rig.count("sluice.rollup_due") == 0)
        #expect(try rig.count("analytics.vital_hour WHERE readings = 2 AND low = 50") == 1)
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64])
    func `random rows of all kinds are restored bit by bit`(seed: UInt64) throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.rollupDays = 30
        var rows = RandomRows(seed: seed)
        for ago in [31, 32, 400] { try rows.store(300, on: rig.day(ago: ago), rig.connection) }
        let before = try rig.bits()
        let report = try rig.run()
        #expect(report.archived.count == 3 * DayTable.allCases.count)
        #expect(try rig.count("sluice.event") == 0)
        #expect(report.rows == 3 * DayTable.allCases.count * 300)
        for outcome in try rig.restore() { #expect(outcome == .restored(rows: 300)) }
        #expect(try rig.bits() == before)
    }

    @Test(arguments: DepartureStep.allCases)
    func `a crash before any step loses nothing, and the next run continues`(step: DepartureStep)
        throws
    {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.checkCrash(before: step)
    }

    @Test func `an interrupted detach is completed`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.detachWaitMax = .milliseconds(300)
        try rig.store(rig.day(ago: 31))
        try rig.store(rig.day(ago: 0))
        let before = try rig.bits()
        // An uncommitted insert, on another day.
        let writer = try rig.open()
        try writer.execute("BEGIN; INSERT INTO sluice.gps SELECT 2, now(), 1, 1, 1")
        let report = try rig.run()
        #expect(report.failures.map(\.partition.kind) == [.gps])
        #expect(report.failures.first?.reason.contains("55P03") == true)
        #expect(report.archived.map(\.kind) == [.vital, .event])
        #expect(try rig.count("sluice.day_partition WHERE is_pending") == 1)
        // New readings of that day are rejected meanwhile. The error is of a row's class, so the
        // other rows of a batch can still be stored.
        let refusal = #expect(throws: PostgresError.self) {
            let day = rig.day(ago: 31).text
            try rig.connection.execute("SELECT sluice.ensure_days('\(day)', '\(day)')")
        }
        #expect(refusal?.failureClass == .poison)
        try writer.rollback()
        let next = try rig.run()
        #expect(next.failures.isEmpty && next.archived.map(\.kind) == [.gps])
        try rig.restore()
        #expect(try rig.bits() == before)
    }

    @Test func `writers and readers don't wait while a day is archived`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.detachWaitMax = .seconds(50)
        let (old, today) = (rig.day(ago: 31), rig.day(ago: 0))
        try rig.store(old)
        try rig.store(today)
        let writer = try rig.open()
        try writer.execute("BEGIN; INSERT INTO sluice.gps SELECT 2, now(), 1, 1, 1")
        let others = try rig.open()
        // Used only by the thread.
        nonisolated(unsafe) let runner = try rig.open()
        nonisolated(unsafe) let fixed = rig
        let running = Thread { _ = try? fixed.run(on: runner) }
        running.start()
        // Until the run waits for the writer.
        let isPending = try eventuallyBlocking {
            try rig.count("sluice.day_partition WHERE is_pending") == 1
        }
        #expect(isPending)
        // A blocked session would wait until the writer ends, or for as long as the run does: 50
        // s.
        for _ in 0..<50 {
            try others.execute(
                """
                BEGIN; SET LOCAL lock_timeout = '20s';
                INSERT INTO sluice.gps SELECT 3, now(), 1, 1, 1;
                SELECT max(t) FROM sluice.gps;
                SELECT sluice.ensure_days(current_date + 400, current_date + 400); ROLLBACK
                """)
        }
        try writer.commit()
        while running.isExecuting { usleep(2000) }
        #expect(try rig.run().failures.isEmpty)
        #expect(try rig.count("sluice.gps") == 2)
        #expect(try rig.count("sluice.archive WHERE state = 'gone'") == 3)
    }

    @Test func `of two nodes only one archives`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        for ago in 31...36 { try rig.store(rig.day(ago: ago)) }
        let other = try rig.open()
        let fixed = rig
        var refused = 0
        try rig.run { step, _ in
            guard step == .copy else { return }
            #expect(throws: ArchiveError.busy) { try fixed.run(on: other, patience: .zero) }
            refused += 1
        }
        #expect(refused == 18)
        #expect(try rig.states() == [ArchivedPart.State](repeating: .gone, count: 18))
        #expect(try rig.run(on: other).archived.isEmpty)
    }

    @Test func `a query of one old day delays only that day`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        for ago in [31, 32] { try rig.store(rig.day(ago: ago)) }
        let reader = try rig.open()
        try reader.execute(
            "BEGIN; SELECT * FROM sluice_partitions.vital_\(rig.day(ago: 32).compactText)")
        let report = try rig.run()
        #expect(
            report.failures.map(\.partition) == [DayPartition(.vital, rig.day(ago: 32))])
        #expect(report.archived.count == 5)
        try reader.rollback()
        #expect(try rig.run().archived == [DayPartition(.vital, rig.day(ago: 32))])
    }

    private static func output(_ program: String, _ arguments: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [program] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }
}
