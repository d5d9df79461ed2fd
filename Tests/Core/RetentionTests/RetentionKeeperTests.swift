import Foundation
import Instruments
import Logging
import Postgres
import ServiceLifecycle
import TestSupport
import Testing

@testable import Retention

@Suite(.timeLimit(.minutes(10)))
struct RetentionKeeperTests {
    @Test func `the keeper archives days, sweeps, and counts both`() async throws {
        let rig = try Rig()
        defer { rig.discard() }
        try rig.store(rig.day(ago: 31))
        try Self.leave(in: rig)
        let registry = Registry()
        let keeper = Self.keeper(rig, registry)
        let group = ServiceGroup(services: [keeper], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        try await Self.wait(for: "sluice_retention_runs_total{outcome=\"done\"} 1", registry)
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(try rig.count("sluice.gps") == 0)
        #expect(try rig.count("sluice.undelivered") == 1)
        let page = registry.render()
        for line in [
            "sluice_retention_days 30", "sluice_retention_partitions_total{outcome=\"archived\"} 3",
            "sluice_retention_rows_total 3", "sluice_retention_failing 0",
            "sluice_retention_swept_rows_total{table=\"undelivered\"} 2500",
            "sluice_retention_swept_rows_total{table=\"node_heartbeat\"} 1",
            "sluice_retention_swept_rows_total{table=\"job\"} 1",
            "sluice_retention_swept_rows_total{table=\"quarantine\"} 0",
        ] { #expect(page.contains("\n\(line)\n"), "\(line)") }
        #expect(!page.contains("sluice_archive_filesystem_free_bytes 0\n"))
    }

    @Test func `a failed run is tried again`() async throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.archiveDirectory = "/proc/sluice/archive"
        try rig.store(rig.day(ago: 31))
        let registry = Registry()
        let keeper = Self.keeper(rig, registry)
        let group = ServiceGroup(services: [keeper], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        let isTriedAgain = try await eventually {
            registry.figures()["sluice_retention_runs_total"].contains {
                $0["outcome"] == "failed" && $0.value >= 2
            }
        }
        #expect(isTriedAgain)
        #expect(registry.render().contains("\nsluice_retention_failing 1\n"))
        await group.triggerGracefulShutdown()
        try await running.value
        #expect(try rig.count("sluice.gps") == 1)
        #expect(try rig.states().isEmpty)
    }

    @Test func `a doubtful clock is reported once a day, not four times an hour`() async throws {
        var rig = try Rig()
        defer { rig.discard() }
        rig.configuration.quietDaysMax = 7
        for ago in [40, 64] { try rig.store(rig.day(ago: ago)) }
        let registry = Registry()
        let keeper = Self.keeper(rig, registry)
        let group = ServiceGroup(services: [keeper], logger: Logger(label: "test"))
        let running = Task { try await group.run() }
        try await Self.wait(for: "sluice_retention_runs_total{outcome=\"failed\"} 1", registry)
        try await Task.sleep(for: .milliseconds(300))
        let page = registry.render()
        #expect(page.contains("\nsluice_retention_runs_total{outcome=\"failed\"} 1\n"))
        #expect(page.contains("\nsluice_retention_failing 1\n"))
        await group.triggerGracefulShutdown()
        try await running.value
        // Readings that are also old by the newest reading are archived.
        #expect(try rig.count("sluice.gps") == 1)
    }

    @Test func `quarantine is swept only when it has a limit`() throws {
        var rig = try Rig()
        try Self.leave(in: rig)
        #expect(try rig.sweep("quarantine") == 0)
        rig.configuration.quarantineDays = 91
        #expect(try rig.sweep("quarantine") == 0)
        rig.configuration.quarantineDays = 90
        #expect(try rig.sweep("quarantine") == 1)
        #expect(try rig.count("sluice.quarantine") == 1)
    }

    @Test func `shard heartbeats are swept if the table exists`() throws {
        let rig = try Rig()
        defer { rig.discard() }
        #expect(try rig.sweep("shard_heartbeat") == 0)
        try rig.connection.execute(
            """
            CREATE TABLE sluice.shard_heartbeat (device_key bigint, node text, lane integer,
                heartbeat timestamptz, PRIMARY KEY (device_key, node, lane));
            INSERT INTO sluice.shard_heartbeat
            SELECT n, 'n', 0, now() - n * interval '46 days' FROM generate_series(0, 3) n
            """)
        #expect(try rig.sweep("shard_heartbeat") == 2)
        #expect(try rig.count("sluice.shard_heartbeat") == 2)
    }

    /// 2500 old undelivered results and a new one; an old row and a new row in each other table.
    private static func leave(in rig: Rig) throws {
        try rig.connection.execute(
            """
            INSERT INTO sluice.undelivered (topic, user_id, subject, payload, created_at)
            SELECT 'meal', 'u', gen_random_uuid(), '{}',
                now() - CASE WHEN n > 0 THEN interval '90 days 1 hour' ELSE interval '89 days' END
            FROM generate_series(0, 2500) n;
            INSERT INTO sluice.job (kind, key, payload, due_at, dead_at)
            SELECT 'k', n::text, '{}', 'infinity', now() - n * interval '91 days'
            FROM generate_series(0, 1) n;
            INSERT INTO sluice.job (kind, key, payload, due_at, created_at)
            VALUES ('k', 'alive', '{}', now(), now() - interval '1 year');
            INSERT INTO sluice.node_heartbeat
            SELECT 'n' || n, 0, now() - n * interval '91 days' FROM generate_series(0, 1) n;
            INSERT INTO sluice.quarantine
                (device_key, device_id, reason, body, reading_index, api_key, received_at)
            SELECT n, 'd', 'r', '{}', 0, 'k', now() - n * interval '90 days 1 hour'
            FROM generate_series(0, 1) n
            """)
    }

    private static func keeper(_ rig: Rig, _ registry: Registry) -> RetentionKeeper {
        var timing = RetentionKeeper.Timing()
        timing.delay = .milliseconds(10)
        timing.interval = .milliseconds(50)
        return RetentionKeeper(
            settings: rig.settings, rig.configuration, node: "test", registry: registry,
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, timing: timing)
    }

    private static func wait(for line: String, _ registry: Registry) async throws {
        let isThere = try await eventually { registry.render().contains("\n\(line)\n") }
        #expect(isThere, "\(line) did not come")
    }
}
