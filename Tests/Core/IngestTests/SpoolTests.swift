import Auth
import Foundation
import Ingest
import Instruments
import Postgres
import Readings
import SpoolLog
import TestSupport
import Testing

/// Batches that the database doesn't take now, with a real server and a real directory.
@Suite struct SpoolTests {
    static func directory() -> String {
        NSTemporaryDirectory() + "sluice-spool-\(UUID().uuidString)"
    }

    static func spool(_ path: String, bytesMax: Int = 64 << 20) throws -> Spool<
        DirectoryDisk
    > {
        var configuration = SpoolConfiguration()
        configuration.segmentBytesMax = 2 << 20
        configuration.recordBytesMax = 1 << 20
        configuration.freeBytesMin = 0
        configuration.bytesMax = bytesMax
        return try Spool(DirectoryDisk(path: path), configuration: configuration)
    }

    /// A server that does not exist.
    static var nowhere: ConnectionSettings {
        ConnectionSettings(socketDirectory: "/nonexistent", user: "nobody", database: "none")
    }

    /// Short limits that keep tests short.
    static var hasty: IngestionConfiguration {
        var configuration = IngestionConfiguration()
        configuration.patience = .milliseconds(200)
        configuration.attemptMax = .seconds(1)
        configuration.stallMax = .milliseconds(400)
        configuration.lockWaitMax = .milliseconds(600)
        configuration.heartbeatMax = .milliseconds(300)
        configuration.lookInterval = .milliseconds(50)
        configuration.backoffMax = .milliseconds(100)
        configuration.replayRetry = .milliseconds(100)
        return configuration
    }

    static func eventually(_ holds: () throws -> Bool) async throws {
        let isSo = try await TestSupport.eventually { try holds() }
        #expect(isSo)
    }

    @Test func `a server that is down costs no batch, and all are stored once when it is back`()
        async throws
    {
        let data = TestCluster.freshDirectory(isServers: true)
        let cluster = try TestCluster.startServer(dataDirectory: data)
        let connection = try Connection.open(cluster.settings, deadline: .now + .seconds(30))
        _ = try Migrator().run(on: connection)
        connection.close()
        let path = Self.directory()
        let bench = await Bench(cluster.settings, Self.hasty, spool: try Self.spool(path))
        try await bench.store(Bodies.batch("d", [Bodies.vital(1)]))
        try cluster.stop()
        for number in 2..<20 {
            let body = Bodies.batch("d\(number % 3)", [Bodies.vital(number), Bodies.gps(number)])
            #expect(try await bench.post(body) == .spooled)
            // A client that missed the answer sends again.
            if number % 4 == 0 { #expect(try await bench.post(body) == .spooled) }
        }
        #expect(bench.ingestor.refusal(forBytes: 1, of: nil) == nil)
        try await Self.eventually { !bench.ingestor.isDatabaseUp }
        #expect(bench.ingestor.isAvailable)
        let again = try TestCluster.startServer(dataDirectory: data)
        try await Self.eventually { bench.ingestor.spoolFigures?.records == 0 }
        #expect(try bench.count("sluice.vital") == 19)
        #expect(try bench.count("sluice.gps") == 18)
        try await Self.eventually { bench.ingestor.isDatabaseUp }
        try await bench.store(Bodies.batch("d", [Bodies.vital(1)]))
        #expect(try bench.count("sluice.vital") == 19)
        await bench.finish()
        try again.stop()
        try? PrivateCluster.discard(dataDirectory: data)
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `the next process replays what one process has spooled`() async throws {
        let settings = try TestCluster.shared.freshDatabase(named: "respool")
        let nowhere = Self.nowhere
        let path = Self.directory()
        let first = await Bench(nowhere, Self.hasty, spool: try Self.spool(path))
        for number in 0..<50 {
            let body = Bodies.batch(
                "d\(number % 5)",
                [Bodies.vital(number), Bodies.event(number, "{\"a\":1}"), "{\"type\":\"x\"}"])
            #expect(try await first.post(body) == .spooled)
        }
        #expect(first.ingestor.spoolFigures?.units == 150)
        await first.finish()

        let second = await Bench(settings, Self.hasty, spool: try Self.spool(path))
        try await Self.eventually { second.ingestor.spoolFigures?.records == 0 }
        #expect(try second.count("sluice.vital") == 50)
        #expect(try second.count("sluice.event") == 50)
        // The same bad reading of each of five devices.
        #expect(try second.count("sluice.quarantine") == 5)
        await second.finish()
        #expect(try Self.spool(path).figures.units == 0)
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a locked table sends batches to the spool and nothing hangs`()
        async throws
    {
        let path = Self.directory()
        let settings = try TestCluster.shared.freshDatabase(named: "locked_spool")
        let bench = await Bench(settings, Self.hasty, spool: try Self.spool(path))
        try await bench.store(Bodies.batch("d", [Bodies.vital(0)]))
        let other = try bench.connection()
        try other.execute("BEGIN; LOCK TABLE sluice.vital IN ACCESS EXCLUSIVE MODE")
        // All are answered while the table is locked.
        try await withThrowingTaskGroup(of: BatchOutcome.self) { group in
            for number in 1..<100 {
                group.addTask {
                    try await bench.post(Bodies.batch("d\(number % 9)", [Bodies.vital(number)]))
                }
            }
            for try await outcome in group { #expect(outcome == .spooled) }
        }
        try other.execute("ROLLBACK")
        try await Self.eventually { bench.ingestor.spoolFigures?.records == 0 }
        #expect(try bench.count("sluice.vital") == 100)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a database that is read-only sends batches to the spool`() async throws {
        let path = Self.directory()
        let settings = try TestCluster.shared.freshDatabase(named: "read_only")
        let bench = await Bench(settings, Self.hasty, spool: try Self.spool(path))
        func setReadOnly(_ value: String) throws {
            let connection = try bench.connection()
            try connection.execute("SET default_transaction_read_only = off")
            try connection.execute(
                "ALTER DATABASE \(settings.database!) SET default_transaction_read_only = \(value)")
            try connection.execute(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = current_database() AND pid <> pg_backend_pid()
                """)
            connection.close()
        }
        try setReadOnly("on")
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(1)])) == .spooled)
        #expect(try await bench.post(Bodies.batch("d", [Bodies.vital(2)])) == .spooled)
        try setReadOnly("off")
        try await Self.eventually { bench.ingestor.spoolFigures?.records == 0 }
        #expect(try bench.count("sluice.vital") == 2)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    /// A session stays as read-only as its role was when the session began.
    @Test func `lanes write again once their role may write, although nobody ends their sessions`()
        async throws
    {
        let path = Self.directory()
        let settings = try TestCluster.shared.freshDatabase(named: "read_only_role")
        let database = try #require(settings.database)
        var configuration = Self.hasty
        configuration.lanes = 2
        let bench = await Bench(settings, configuration, spool: try Self.spool(path))
        func sessionsOpened() -> Double {
            bench.registry.figures()["sluice_lane_connections_total"]
                .reduce(0) { $0 + $1.value }
        }
        try await bench.store(Bodies.batch("d", [Bodies.vital(0)]))
        let admin = try bench.connection()
        try admin.execute("ALTER DATABASE \(database) SET default_transaction_read_only = on")
        let before = sessionsOpened()
        try admin.execute(
            """
            SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        for number in 1...20 {
            let body = Bodies.batch("d\(number)", [Bodies.vital(number)])
            #expect(try await bench.post(body) == .spooled)
        }
        // Each lane has opened a new session by then.
        try await Self.eventually { sessionsOpened() >= before + 2 }
        try await Self.eventually { !bench.ingestor.isDatabaseUp }
        try admin.execute("ALTER DATABASE \(database) RESET default_transaction_read_only")
        try await Self.eventually { bench.ingestor.spoolFigures?.records == 0 }
        try await Self.eventually { bench.ingestor.isDatabaseUp }
        try await bench.store(Bodies.batch("d", [Bodies.vital(99)]))
        #expect(try bench.count("sluice.vital") == 22)
        await bench.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a full spool turns batches away and takes them again when it has drained`()
        async throws
    {
        let path = Self.directory()
        let settings = try TestCluster.shared.freshDatabase(named: "full_spool")
        let nowhere = Self.nowhere
        let first = await Bench(
            nowhere, Self.hasty, spool: try Self.spool(path, bytesMax: 6 << 20))
        var taken = 0
        var outcome = BatchOutcome.spooled
        while outcome == .spooled, taken < 2000 {
            // Text that does not compress well.
            let readings = (0..<10).map { second in
                let digits = (0..<200).map { _ in String(UInt64.random(in: 0...(.max)), radix: 36) }
                return Bodies.event(taken * 10 + second, "{\"a\":\"\(digits.joined())\"}")
            }
            outcome = try await first.post(Bodies.batch("d", readings))
            if outcome == .spooled { taken += 1 }
        }
        guard case .unavailable(let retryAfter) = outcome else {
            Issue.record("\(outcome) after \(taken)")
            return
        }
        #expect(retryAfter >= .seconds(1))
        #expect(taken > 20)
        #expect(first.ingestor.spoolFigures?.units == taken * 10)
        await first.finish()
        let second = await Bench(
            settings, Self.hasty, spool: try Self.spool(path, bytesMax: 6 << 20))
        try await Self.eventually { second.ingestor.spoolFigures?.records == 0 }
        #expect(try second.count("sluice.event") == taken * 10)
        await second.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a replayed batch does not undo later attributes of its device`() async throws {
        let path = Self.directory()
        let settings = try TestCluster.shared.freshDatabase(named: "late_attributes")
        let nowhere = Self.nowhere
        func body(_ version: String, _ second: Int) -> String {
            """
            {"metadata":{"device_id":"d","version":"\(version)"},"data":[\(Bodies.vital(second))]}
            """
        }
        let early = await Bench(nowhere, Self.hasty, spool: try Self.spool(path))
        early.set(clock: Bench.now)
        #expect(try await early.post(body("1", 1)) == .spooled)
        await early.finish()
        let live = await Bench(settings)
        live.set(clock: Timestamp(microseconds: Bench.now.microseconds + 1))
        #expect(try await live.post(body("2", 2)) == .stored(1))
        await live.finish()
        let late = await Bench(settings, Self.hasty, spool: try Self.spool(path))
        try await Self.eventually { late.ingestor.spoolFigures?.records == 0 }
        #expect(try late.query("SELECT version FROM sluice.device") == ["2"])
        #expect(try late.count("sluice.vital") == 2)
        await late.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `an older batch does not undo repeated attributes, whoever wrote them`()
        async throws
    {
        let path = Self.directory()
        let settings = try TestCluster.shared.freshDatabase(named: "repeated_attributes")
        func body(_ version: String, _ second: Int) -> String {
            """
            {"metadata":{"device_id":"d","version":"\(version)"},"data":[\(Bodies.vital(second))]}
            """
        }
        func time(_ offset: Int64) -> Timestamp {
            Timestamp(microseconds: Bench.now.microseconds + offset)
        }
        let away = await Bench(Self.nowhere, Self.hasty, spool: try Self.spool(path))
        away.set(clock: time(20))
        #expect(try await away.post(body("2", 1)) == .spooled)
        await away.finish()
        // Before and after it the device sent other attributes, the second time unchanged.
        let live = await Bench(settings)
        live.set(clock: time(10))
        #expect(try await live.post(body("1", 2)) == .stored(1))
        live.set(clock: time(30))
        #expect(try await live.post(body("1", 3)) == .stored(1))
        let late = await Bench(settings, Self.hasty, spool: try Self.spool(path))
        try await Self.eventually { late.ingestor.spoolFigures?.records == 0 }
        #expect(try late.query("SELECT version FROM sluice.device") == ["1"])
        // The lane also knows what another process wrote in between.
        late.set(clock: time(40))
        try await late.store(body("3", 4))
        live.set(clock: time(50))
        #expect(try await live.post(body("1", 5)) == .stored(1))
        #expect(try late.query("SELECT version FROM sluice.device") == ["1"])
        await live.finish()
        await late.finish()
        try FileManager.default.removeItem(atPath: path)
    }

    @Test func `a stop while the database hangs spools and answers the queue`() async throws {
        let path = Self.directory()
        let settings = try TestCluster.shared.freshDatabase(named: "stop_hanging")
        var configuration = Self.hasty
        configuration.patience = .seconds(5)
        configuration.attemptMax = .seconds(5)
        configuration.stallMax = .seconds(60)
        configuration.lockWaitMax = .seconds(60)
        let bench = await Bench(settings, configuration, spool: try Self.spool(path))
        let other = try bench.connection()
        try other.execute("BEGIN; LOCK TABLE sluice.vital IN ACCESS EXCLUSIVE MODE")
        let gathered = Gathered<BatchCounts>()
        for number in 0..<50 {
            let batch = try Bench.scan(Bodies.batch("d\(number)", [Bodies.vital(number)]))
            #expect(
                bench.ingestor.offer(
                    batch, key: KeyID(name: "test", id: nil), ticket: UInt64(number),
                    replyTo: gathered) == .taken)
        }
        bench.ingestor.dispatch()
        try await bench.waitForLocks(1)
        await bench.ingestor.finish(by: .now + .milliseconds(500))
        let all = await gathered.wait(for: 50)
        #expect(all.count == 50 && all.values.allSatisfy { $0 == .spooled })
        #expect(try Self.spool(path).figures.units == 50)
        try other.execute("ROLLBACK")
        try FileManager.default.removeItem(atPath: path)
    }
}
