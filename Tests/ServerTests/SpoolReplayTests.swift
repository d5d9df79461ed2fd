import Captures
import Foundation
import Ingest
import Instruments
import Logging
import Meals
import Postgres
import Readings
import SpoolLog
import Synchronization
import TestSupport
import Testing

@testable import Assembly
@testable import Server

/// `sluice spool replay` and `sluice units` by the real binary, with units of every kind that a
/// server may have left in its spool.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct SpoolReplayTests {
    private static let now = Timestamp(unixSeconds: 1_770_800_000)

    /// A unit as a route makes it, and the table in which its row belongs. A new kind needs a case.
    private static func sample(
        _ kind: UnitKind, user: String
    ) throws -> (unit: WorkUnit, table: String)? {
        func meal(_ json: String, _ make: (UnsafeRawBufferPointer) throws -> NewMeal) throws
            -> (WorkUnit, String)
        {
            var json = json
            let meal = try json.withUTF8 { try make(UnsafeRawBufferPointer($0)) }
            return (meal.unit, "sluice.meal_log where user_id = '\(user)'")
        }
        switch kind.name {
        case "capture":
            let frame = """
                {"type":"memory_capture","id":"\(user)","timestamp":"2026-01-23T14:30:00Z"}
                """
            let capture = try Array(frame.utf8).withUnsafeBytes { CaptureFrame.decode($0) }.get()
            let unit = capture.unit(user: user, receivedAt: now)
            return (unit, "sluice.capture where user_id = '\(user)'")
        case "meal_log.natural":
            return try meal(#"{"raw_input":"2 eggs","meal_type":"lunch"}"#) {
                try NewMeal(natural: $0, user: user, now: now)
            }
        case "meal_log.batch":
            let item = """
                {"food_name":"egg","food_type":"food","quantity":2,"unit":"large","calories":140,
                "protein_g":12,"carbs_g":1,"fat_g":10}
                """
            return try meal(#"{"meal_type":"lunch","items":[\#(item)]}"#) {
                try NewMeal(batch: $0, user: user, now: now)
            }
        case "journal_entry":
            let mood = """
                {"id":"0123456789abcdef0123456789abcdef","user":"\(user)","kind":"mood",
                "mood":"calm","created":0,"tags":[],"interests":[],"files":[]}
                """
            return (
                WorkUnit(kind: kind, owner: user, payload: mood),
                "sluice.mood where user_id = '\(user)'"
            )
        default: return nil
        }
    }

    /// Spools units as a server does whose database is unreachable; and also those that only a
    /// failover sends to the spool.
    private func spool(_ units: [WorkUnit], _ environment: [String: String]) async throws {
        let units = units.map {
            let kind = UnitKind(name: $0.kind.name, statement: "SELECT 1, 'x'")
            return WorkUnit(kind: kind, owner: "ann", payload: $0.payload)
        }
        let path = DataDirectory(try #require(environment["SLUICE_DATA_DIR"])).spoolPath
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true)
        let nowhere = ConnectionSettings(socketDirectory: "/none", user: "u", database: "d")
        let ingestor = Ingestor(
            configuration: IngestionConfiguration(), settings: nowhere,
            spool: try Spool(
                DirectoryDisk(path: path), configuration: ServiceConfiguration().fittingSpool),
            unitKinds: Array(Set(units.map(\.kind))), registry: Registry(),
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, clock: Timestamp.now)
        _ = await ingestor.connect()
        let answers = Answers()
        for (ticket, unit) in units.enumerated() {
            #expect(ingestor.offer(unit, ticket: UInt64(ticket), replyTo: answers) == .taken)
        }
        ingestor.dispatch()
        await ingestor.finish(by: .now + .seconds(10))
        #expect(answers.outcomes == units.map { _ in .spooled })
    }

    private final class Answers: AcknowledgementTarget {
        private let received = Mutex<[UnitOutcome]>([])
        var outcomes: [UnitOutcome] { received.withLock { $0 } }

        func deliver(_ acknowledgements: [UnitOutcome.Acknowledgement]) {
            received.withLock { $0 += acknowledgements.map(\.outcome) }
        }
    }

    private func left(_ environment: [String: String]) async throws -> String {
        let status = try await Subprocess.sluice("spool", "status", environment: environment)
        return String(status.out.split(separator: "\n").last ?? "")
    }

    @Test(arguments: UserApps().unitKinds)
    func `a unit of every kind is replayed from the spool into its table`(
        _ kind: UnitKind
    ) async throws {
        let (environment, settings) = try Fixtures.environment("replaykinds")
        let sample = try #require(
            try Self.sample(kind, user: "ann"), "no sample of kind \(kind.name)")
        #expect(sample.unit.kind == kind)
        try await spool([sample.unit], environment)
        let replay = try await Subprocess.sluice("spool", "replay", environment: environment)
        #expect(replay.status == 0, "\(replay.err)")
        #expect(replay.out.hasPrefix("1 of 1 readings and units of work replayed"))
        #expect(try Fixtures.count(sample.table, settings) == 1, "\(kind.name) is not in its table")
        #expect(try Fixtures.count("sluice.unit_set_aside", settings) == 0)
        #expect(try await left(environment).hasPrefix("0 readings and 0 units"))
    }

    @Test func `damage that is found when the spool is opened is reported, and sets the exit code`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("replaydamaged")
        let unit = try #require(try Self.sample(Capture.unitKind, user: "ann")).unit
        for _ in 0..<2 { try await spool([unit], environment) }
        let path = DataDirectory(try #require(environment["SLUICE_DATA_DIR"])).spoolPath
        let file = try #require(
            try FileManager.default.contentsOfDirectory(atPath: path)
                .filter { $0.hasSuffix(".lz4") && !$0.hasPrefix("spare") }.sorted().first)
        let handle = try #require(FileHandle(forUpdatingAtPath: path + "/" + file))
        let bytes = try #require(try handle.readToEnd())
        // LZ4's magic number begins the first record's payload. The text in it may be compressed.
        let frame = try #require(bytes.range(of: Data([0x04, 0x22, 0x4D, 0x18])))
        let place = frame.lowerBound + 20
        try handle.seek(toOffset: UInt64(place))
        try handle.write(contentsOf: Data([~bytes[place]]))
        try handle.close()
        let replay = try await Subprocess.sluice("spool", "replay", environment: environment)
        #expect(replay.status == 65, "\(replay)")
        #expect(replay.err.contains("may have been acknowledged"), "\(replay.err)")
        #expect(try Fixtures.count("sluice.capture", settings) == 1)
        // The file is kept, and the next replay finds nothing new.
        let again = try await Subprocess.sluice("spool", "replay", environment: environment)
        #expect(again.status == 0, "\(again)")
    }

    @Test func `a unit of an unknown kind stays in the spool, and the command names the kind`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("replayunknown")
        let known = try #require(try Self.sample(Capture.unitKind, user: "ann")).unit
        let gone = UnitKind(name: "kind.of.later", statement: "SELECT 1, 'x'")
        let unknown = WorkUnit(kind: gone, owner: "ann", payload: #"{"user":"ann"}"#)
        // One spool record with both units.
        try await spool([known, unknown], environment)
        for _ in 0..<2 {
            let replay = try await Subprocess.sluice(
                "spool", "replay", "--patience", "30s", environment: environment)
            #expect(replay.status == 69, "\(replay)")
            #expect(replay.err.contains("kind.of.later"), "\(replay.err)")
            // The capture does not wait for the other unit and is stored once. No unit was
            // rejected.
            #expect(try Fixtures.count("sluice.capture", settings) == 1)
            #expect(try Fixtures.count("sluice.unit_set_aside", settings) == 0)
            #expect(try await left(environment).hasPrefix("0 readings and 2 units"))
        }
    }

    @Test(arguments: UserApps().unitKinds)
    func `a rejected unit of every kind is recorded once the database takes it`(
        _ kind: UnitKind
    ) async throws {
        let (environment, settings) = try Fixtures.environment("requeuekinds")
        let sample = try #require(
            try Self.sample(kind, user: "ann"), "no sample of kind \(kind.name)")
        let table = String(sample.table.prefix { $0 != " " })
        let connection = try Connection.open(settings, deadline: .now + .seconds(120))
        try connection.execute("alter table \(table) add constraint no check (user_id <> 'ann')")
        try await spool([sample.unit], environment)
        let replay = try await Subprocess.sluice("spool", "replay", environment: environment)
        #expect(replay.status == 0, "\(replay.err)")
        let list = try await Subprocess.sluice("units", "list", environment: environment)
        #expect(list.out.contains(kind.name) && list.out.contains("23514"), "\(list)")
        #expect(list.out.hasSuffix("1 rejected units\n"), "\(list)")

        func requeue(_ more: String...) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                Subprocess.sluice, ["units", "requeue", "--kind", kind.name] + more,
                environment: environment)
        }
        var outcome = try await requeue()
        #expect(outcome.status == 65, "\(outcome)")
        #expect(outcome.out.contains("1 stay: the database refuses them again (SQLSTATE 23514)"))
        try connection.execute("alter table \(table) drop constraint no")
        outcome = try await requeue("--dry-run")
        #expect(outcome.status == 0 && outcome.out.hasSuffix("1 rejected units\n"), "\(outcome)")
        #expect(try Fixtures.count(sample.table, settings) == 0)
        outcome = try await requeue()
        #expect(outcome.status == 0 && outcome.out == "1 recorded\n", "\(outcome)")
        #expect(try Fixtures.count(sample.table, settings) == 1)
        #expect(try Fixtures.count("sluice.unit_set_aside", settings) == 0)
        outcome = try await requeue()
        #expect(outcome.status == 0 && outcome.out == "no rejected unit matches\n", "\(outcome)")
        connection.close()
    }

    @Test func `of two spooled requests with one Idempotency-Key the second is rejected, not lost`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("replaykeys")
        func meal(_ text: String) throws -> WorkUnit {
            var json = #"{"raw_input":"\#(text)","meal_type":"lunch"}"#
            return try json.withUTF8 {
                try NewMeal(
                    natural: UnsafeRawBufferPointer($0), user: "ann", key: IdempotencyKey("k"),
                    now: Self.now)
            }.unit
        }
        // In one record, and after that in one of its own; the first is also sent again.
        try await spool([try meal("2 eggs"), try meal("1 apple"), try meal("2 eggs")], environment)
        func replay() async throws {
            let outcome = try await Subprocess.sluice("spool", "replay", environment: environment)
            #expect(outcome.status == 0, "\(outcome.err)")
        }
        try await replay()
        try await spool([try meal("3 pears"), try meal("1 apple")], environment)
        try await replay()
        #expect(try await left(environment).hasPrefix("0 readings and 0 units"))
        #expect(try Fixtures.count("sluice.meal_log where raw_input = '2 eggs'", settings) == 1)
        #expect(try Fixtures.count("sluice.meal_log", settings) == 1)
        let list = try await Subprocess.sluice("units", "list", environment: environment)
        #expect(
            list.out.contains("2  meal_log.natural  idempotency_key_reused"), "\(list)")
        #expect(
            try Fixtures.count(
                "sluice.unit_set_aside where sqlstate is null "
                    + "and convert_from(payload, 'UTF8') ~ '(1 apple|3 pears)'", settings) == 2)
        let requeued = try await Subprocess.sluice(
            "units", "requeue", "--all", environment: environment)
        #expect(requeued.status == 65, "\(requeued)")
        #expect(
            requeued.out.contains("2 stay: another request had their Idempotency-Key"),
            "\(requeued)")
    }

    @Test func `rejected units are listed, shown, kept while unknown or foreign, and dropped`()
        async throws
    {
        let (environment, settings) = try Fixtures.environment("units")
        func run(_ arguments: String...) async throws -> Subprocess.Outcome {
            try await Subprocess.run(
                Subprocess.sluice, ["units"] + arguments, environment: environment)
        }
        func reject(_ unit: WorkUnit, _ reason: String) throws {
            let connection = try Connection.open(settings, deadline: .now + .seconds(30))
            defer { connection.close() }
            var parameters = Parameters()
            parameters.append(text: unit.kind.name)
            parameters.append(bytea: Array(unit.payload.utf8))
            parameters.append(text: reason)
            try connection.query(
                """
                insert into sluice.unit_set_aside (kind, payload, reason, received_at)
                values ($1, $2, $3, now())
                """, parameters)
        }
        // A unit as an older version's replay left it; a unit of a future version; a unit whose
        // id belongs to another user.
        let natural = try #require(NewMeal.kinds.first)
        let meal = try #require(try Self.sample(natural, user: "ann")).unit
        try reject(meal, "kind_unknown")
        let later = UnitKind(name: "kind.of.later", statement: "SELECT 1, 'x'")
        try reject(WorkUnit(kind: later, owner: "ann", payload: "{}"), "kind_unknown")
        let capture = try #require(try Self.sample(Capture.unitKind, user: "bob")).unit
        // The meal log too: its id is in use before the other user's unit arrives.
        try await spool([capture, meal], environment)
        #expect(
            try await Subprocess.sluice("spool", "replay", environment: environment).status == 0)
        let foreign = WorkUnit(
            kind: natural, owner: "eve",
            payload: meal.payload.replacing(#""user":"ann""#, with: #""user":"eve""#))
        try reject(foreign, "refused_by_database")

        #expect(try await run("requeue").status == 64)
        #expect(try await run("requeue", "--all", "--kind", "capture").status == 64)
        let outcome = try await run("requeue", "--all")
        #expect(outcome.status == 65, "\(outcome)")
        let lines = outcome.out.split(separator: "\n")
        #expect(
            lines == [
                "1 recorded", "1 stay: their id belongs to another user",
                "1 stay: this version does not know the kind kind.of.later",
            ], "\(outcome)")
        #expect(try Fixtures.count("sluice.meal_log where user_id = 'ann'", settings) == 1)
        #expect(try Fixtures.count("sluice.capture where user_id = 'bob'", settings) == 1)

        let list = try await run("list", "--kind", natural.name)
        let id = try #require(list.out.firstMatch(of: #/(?m)^[0-9a-f]{12}/#)).output
        #expect(try await run("show", String(id)).out == foreign.payload + "\n")
        #expect(try await run("show", "ffffffff").status == 65)
        #expect(try await run("drop").status == 64)
        #expect(try await run("drop", "--all", "--dry-run").out.hasSuffix("2 rejected units\n"))
        #expect(try await run("drop", "--kind", natural.name, "--yes").out == "1 dropped\n")
        #expect(try await run("list").out.hasSuffix("1 rejected units\n"))
    }
}
