import Foundation
import Instruments
import Logging
import Postgres
import ServiceLifecycle
import TestSupport
import Testing

@testable import Retention

/// Days and tables that fail, and the others.
@Suite(.timeLimit(.minutes(10)))
struct FailingDayTests {
    private static func failing(_ rig: Rig) throws -> [String] {
        let rows = try rig.connection.query(
            "SELECT pass || ' ' || item || ' ' || attempts FROM sluice.failing_now ORDER BY 1")
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    /// A run as the keeper's, which lets failed days rest.
    private static func run(
        _ rig: Rig, on connection: Connection, triesAll: Bool = false,
        interrupted: @escaping (DayPartition, any Error) -> Void = { _, _ in },
        step: @escaping (DepartureStep, DayPartition) throws -> Void = { _, _ in }
    ) throws -> RetentionReport {
        guard let session = try ArchiveSession(connection, patience: .seconds(10)) else {
            throw ArchiveError.busy
        }
        defer { session.end() }
        return try RetentionRun(
            session, rig.configuration, node: "test", triesAll: triesAll,
            interrupted: interrupted, step: step
        ).run()
    }

    @Test func `a day whose file can't be written is named and rests, and all others leave`() throws
    {
        let rig = try Rig()
        defer { rig.discard() }
        for ago in 31...33 { try rig.store(rig.day(ago: ago)) }
        let name = "gps_\(rig.day(ago: 33).compactText)"
        let obstacle = "\(rig.directory)/\(name).csv.zst.part"
        try FileManager.default.createDirectory(
            atPath: obstacle + "/in it", withIntermediateDirectories: true)
        let first = try Self.run(rig, on: rig.connection)
        #expect(first.archived.count == 8)
        #expect(first.failures.map(\.partition.name) == [name])
        #expect(try Self.failing(rig) == ["retention \(name) 1"])
        // It rests, unless an operator runs the archive.
        let second = try Self.run(rig, on: rig.connection)
        #expect(second.resting == 1 && second.failures.isEmpty)
        #expect(try Self.run(rig, on: rig.connection, triesAll: true).failures.count == 1)
        #expect(try Self.failing(rig) == ["retention \(name) 2"])
        try FileManager.default.removeItem(atPath: obstacle)
        #expect(try rig.run().archived.map(\.name) == [name])
        #expect(try Self.failing(rig).isEmpty)
        #expect(try rig.count("sluice.gps") == 0)
    }

    @Test func `a day that breaks the connection ends one run, and comes last in the next`() throws
    {
        let rig = try Rig()
        defer { rig.discard() }
        for ago in 31...33 { try rig.store(rig.day(ago: ago)) }
        let bad = DayPartition(.event, rig.day(ago: 33))
        for run in 1...2 {
            let connection = try rig.open()
            defer { connection.close() }
            let pid = try connection.query("SELECT pg_backend_pid()").int32(0, 0)
            var interrupted: [DayPartition] = []
            #expect(throws: PostgresError.self) {
                try Self.run(
                    rig, on: connection, triesAll: true,
                    interrupted: { day, error in
                        interrupted.append(day)
                        var failing = try! FailingItems(.retention, on: rig.connection)
                        try! failing.failed(day.name, error, on: rig.connection)
                    },
                    step: { step, day in
                        guard step == .detach, day == bad else { return }
                        try rig.connection.execute("SELECT pg_terminate_backend(\(pid), 5000)")
                    })
            }
            #expect(interrupted == [bad])
            #expect(try Self.failing(rig) == ["retention \(bad.name) \(run)"])
        }
        #expect(try rig.states().filter { $0 == .gone }.count == 8)
        #expect(try rig.run().archived == [bad])
        #expect(try Self.failing(rig).isEmpty)
    }

    @Test func `days that fail take no other day's place in a night without files`() throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.archiveDirectory = "none"
        for ago in 31...36 { try rig.store(rig.day(ago: ago)) }
        let reader = try rig.open()
        let held = (34...36).map { "sluice_partitions.gps_\(rig.day(ago: $0).compactText)" }
        try reader.execute("BEGIN; LOCK TABLE \(held.joined(separator: ", ")) IN SHARE MODE")
        let first = try rig.run()
        #expect(first.failures.count == 3 && !first.dropped.contains { $0.kind == .gps })
        let second = try rig.run()
        #expect(second.dropped.filter { $0.kind == .gps }.count == 3)
        try reader.rollback()
        #expect(try rig.count("sluice.gps") == 3)
    }

    @Test func `a table that can't be swept keeps no other from being swept`() async throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try rig.connection.execute(
            """
            INSERT INTO sluice.job (kind, key, payload, due_at, dead_at)
            VALUES ('k', 'k', '{}', 'infinity', now() - interval '91 days');
            INSERT INTO sluice.node_heartbeat SELECT 'n', 0, now() - interval '91 days';
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'no'; END $$;
            CREATE TRIGGER refuse BEFORE DELETE ON sluice.job
            FOR EACH ROW EXECUTE FUNCTION refuse()
            """)
        let registry = Registry()
        var timing = RetentionKeeper.Timing()
        timing.delay = .milliseconds(10)
        timing.interval = .milliseconds(50)
        let keeper = RetentionKeeper(
            settings: rig.settings, rig.configuration, node: "test", registry: registry,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, timing: timing)
        let group = ServiceGroup(services: [keeper], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        let isSwept = try await eventually {
            registry.figures()["sluice_retention_swept_rows_total"].contains {
                $0["table"] == "node_heartbeat" && $0.value == 1
            }
        }
        #expect(isSwept)
        let areDaysGone = try await eventually { try rig.count("sluice.gps") == 0 }
        #expect(areDaysGone)
        await group.triggerGracefulShutdown()
        try await running.value
        // It was tried once, and rests.
        #expect(try Self.failing(rig) == ["leftovers job 1"])
        #expect(try rig.count("sluice.job") == 1)
    }
}
