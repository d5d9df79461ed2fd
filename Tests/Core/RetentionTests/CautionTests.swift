import Foundation
import Postgres
import Readings
import Schema
import TestSupport
import Testing

@testable import Retention

/// A wrong clock, a wrong directory or a wrong number must not lose data.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct CautionTests {
    @Test func `a clock far ahead of all readings is trusted for a week only`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.quietDaysMax = 7
        // As if the clock were 400 days ahead.
        for ago in [400, 423, 424] { try rig.store(rig.day(ago: ago)) }
        // Partitions of future days have no readings yet.
        try rig.connection.execute(
            "SELECT sluice.ensure_days('\(rig.day(ago: 0).text)', '\(rig.day(ago: -3).text)')")
        let report = try rig.run()
        #expect(report.archived.map(\.day) == Array(repeating: rig.day(ago: 424), count: 3))
        #expect(report.failures.count == 1)
        let reason = try #require(report.failures.first?.reason)
        #expect(reason.contains("the newest reading is of \(rig.day(ago: 400).text)"), "\(reason)")
        #expect(reason.contains("6 days of tables stay"), "\(reason)")
        // An operator vouches for the clock: all days that are due by the clock are archived, and
        // no others.
        var copy = try Rig()
        defer { copy.discard() }
        copy.configuration.quietDaysMax = 7
        for ago in [29, 30, 31, 423] { try copy.store(copy.day(ago: ago)) }
        #expect(try copy.run().archived.count == 3)
        let vouched = try copy.run(trustsClock: true)
        #expect(vouched.failures.isEmpty && vouched.archived.count == 3)
        #expect(try copy.count("sluice.gps") == 2)
        // Devices send again, so the clock was right.
        try rig.store(rig.day(ago: 0))
        #expect(try rig.run().archived.count == 6)
    }

    @Test func `without readings no day is archived`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.rollupDays = 30
        let day = rig.day(ago: 40).text
        try rig.connection.execute("SELECT sluice.ensure_days('\(day)', '\(day)')")
        let report = try rig.run()
        #expect(report.failures.count == 1 && report.doubtful == DayTable.allCases.count)
        #expect(try rig.states().isEmpty)
        #expect(try rig.run(trustsClock: true).empty.count == DayTable.allCases.count)
    }

    @Test(arguments: [-3700, 3700, -3500, 3500])
    func `nothing is archived if the two clocks differ by more than an hour`(seconds: Int) throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.quarantineDays = 1
        try rig.store(rig.day(ago: 31))
        let nodeTime = Int(time(nil)) + seconds
        let session = try #require(try ArchiveSession(rig.connection))
        defer { session.end() }
        let run = RetentionRun(session, rig.configuration, node: "test", nodeTime: nodeTime)
        let vouched = RetentionRun(
            session, rig.configuration, node: "test", nodeTime: nodeTime, trustsClock: true)
        guard abs(seconds) > 3600 else {
            #expect(try run.run().archived.count == 3)
            return
        }
        func isRefusal(_ error: any Error) -> Bool {
            guard case ArchiveError.clocksDiffer(let found) = error else { return false }
            return abs(found + seconds) < 60
        }
        #expect(performing: { try run.run() }, throws: isRefusal)
        #expect(performing: { try vouched.run() }, throws: isRefusal)
        for table in Schema.Table.leftovers {
            #expect(
                performing: {
                    try table.sweep(rig.configuration, on: rig.connection, nodeTime: nodeTime)
                }, throws: isRefusal)
        }
        #expect(try rig.count("sluice.gps") == 1)
    }

    @Test func `a run stops when its lock is lost, and another one continues`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        for ago in 31...33 { try rig.store(rig.day(ago: ago)) }
        let other = try rig.open()
        let error = #expect(throws: PostgresError.self) {
            try rig.run { _, _ in
                try other.query(
                    """
                    SELECT pg_terminate_backend(l.pid, 60000) FROM pg_locks l
                    JOIN pg_database d ON d.oid = l.database AND d.datname = current_database()
                    WHERE l.relation = 'sluice.archive_turn'::regclass
                    """)
            }
        }
        #expect(error?.kind == .connectionLost)
        #expect(try rig.count("sluice.gps") > 0)
        #expect(try rig.run(on: other).failures.isEmpty)
        #expect(try rig.count("sluice.gps") == 0)
    }

    @Test func `quarantined readings are swept only if the newest reading confirms their age`()
        throws
    {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.quietDaysMax = 7
        rig.configuration.quarantineDays = 90
        try rig.store(rig.day(ago: 400))
        try rig.connection.execute(
            """
            INSERT INTO sluice.quarantine
                (device_key, device_id, reason, body, reading_index, api_key, received_at)
            SELECT n, 'd', 'r', '{}', 0, 'k', now() - n * interval '1 day'
            FROM generate_series(400, 500, 100) n
            """)
        #expect(try rig.sweep("quarantine") == 1)
        #expect(try rig.count("sluice.quarantine") == 1)
    }

    @Test func `one run drops a few days without a file, and the next day's run the others`() throws
    {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.archiveDirectory = "none"
        for ago in 31...35 { try rig.store(rig.day(ago: ago)) }
        let first = try rig.run()
        #expect(first.dropped.count == 9 && first.postponed == 6)
        #expect(first.dropped.map(\.day).max() == rig.day(ago: 33))
        let again = try rig.run()
        #expect(again.dropped.isEmpty && again.postponed == 6)
        try rig.connection.execute(
            "UPDATE sluice.archive SET changed_at = now() - interval '1 day'")
        let second = try rig.run()
        #expect(second.dropped.count == 6 && second.postponed == 0)
    }

    @Test func `a day whose file name is used by another database is kept`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 31)
        try rig.store(day)
        try Data("{}".utf8).write(
            to: URL(fileURLWithPath: "\(rig.directory)/gps_\(day.compactText).json"))
        let report = try rig.run()
        #expect(report.archived.map(\.kind) == [.vital, .event])
        #expect(report.failures.map(\.partition.kind) == [.gps])
        #expect(try rig.count("sluice.gps") == 1)
        #expect(try rig.states() == [.gone, .gone])
    }

    @Test func `a directory whose files are all missing is treated as not mounted`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try rig.run()
        try FileManager.default.removeItem(atPath: rig.directory)
        try rig.store(rig.day(ago: 32))
        for _ in 0..<2 {
            #expect(throws: ArchiveError.emptied(path: rig.directory)) { try rig.run() }
            #expect(rig.files().isEmpty)
            #expect(try rig.count("sluice.gps") == 1)
            // The empty mount point.
            try FileManager.default.createDirectory(
                atPath: rig.directory, withIntermediateDirectories: true)
        }
    }

    @Test func `while another database uses the directory, runs are rejected`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        let archive = try rig.archive
        let lock = try #require(try archive.store.claim { "" })
        #expect(throws: ArchiveError.busy) { try rig.run() }
        let session = try #require(try ArchiveSession(rig.connection))
        #expect(throws: ArchiveError.busy) {
            try ArchiveErasure(session, archive).erase(deviceKeys: [1])
        }
        session.end()
        #expect(try rig.states().isEmpty)
        withExtendedLifetime(lock) {}
    }

    @Test func `a file that could not be removed stays in the catalog`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try rig.run()
        try rig.restore()
        try rig.connection.execute("UPDATE sluice.archive SET keep_until = now()")
        let directory = rig.directory
        rig.configuration.archiveDirectory = directory + "-other"
        try FileManager.default.createDirectory(
            atPath: directory + "-other", withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory + "-other") }
        let report = try rig.run()
        #expect(report.archived.count == 3 && report.failures.count == 3)
        #expect(report.failures.first?.reason.contains("written to \(directory) on test") == true)
        #expect(try rig.states().count { $0 == .replaced } == 3)
        #expect(rig.files().count == 6)
        // In their own directory they can be removed.
        rig.configuration.archiveDirectory = directory
        #expect(try rig.run().failures.isEmpty)
        #expect(try rig.states() == [.gone, .gone, .gone])
        #expect(rig.files().isEmpty)
    }

    @Test func `a day that is being restored accepts no rows until it is restored`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        let day = rig.day(ago: 31)
        try rig.store(day)
        try rig.run()
        let other = try rig.open()
        nonisolated(unsafe) var looks = 0
        let session = try #require(try ArchiveSession(rig.connection))
        defer { session.end() }
        let restoration = Restoration(session, try rig.archive) { _, _ in
            looks += 1
            let refusal = #expect(throws: PostgresError.self) {
                try other.execute("SELECT sluice.ensure_days('\(day.text)', '\(day.text)')")
            }
            #expect(refusal?.failureClass == .poison)
        }
        for part in try ArchiveCatalog.parts(on: rig.connection) {
            #expect(try restoration.restore(part, keep: .seconds(60)) == .restored(rows: 1))
        }
        #expect(looks > 0)
        try other.execute("SELECT sluice.ensure_days('\(day.text)', '\(day.text)')")
        // It has the parent's index, and no check constraint of its own.
        let name = "'sluice_partitions.gps_\(day.compactText)'::regclass"
        #expect(try rig.count("pg_index WHERE indrelid = \(name)") == 1)
        #expect(try rig.count("pg_constraint WHERE conrelid = \(name) AND contype = 'c'") == 0)
    }
}
