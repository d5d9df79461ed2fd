import Foundation
import Postgres
import Readings
import Schema
import TestSupport
import Testing

@testable import Retention

/// A database with readings of past days, and a directory or a bucket for their archive.
struct Rig {
    let settings: ConnectionSettings
    let connection: Connection
    /// Of the archive, unless that is in a bucket.
    let directory: String
    var configuration = RetentionConfiguration()
    let today: Day

    /// - Parameter location: a bucket's; nil: a fresh directory.
    init(location: String? = nil) throws {
        settings = try TestCluster.shared.freshDatabase(named: "retention")
        connection = try Connection.open(settings, deadline: .now + .seconds(600))
        directory = TestCluster.freshDirectory() + "-archive"
        try FileManager.default.createDirectory(
            atPath: directory, withIntermediateDirectories: true)
        today = Day(
            number: try connection.query("SELECT (now() AT TIME ZONE 'UTC')::date").int32(0, 0))
        configuration.readingDays = 30
        // Most tests have only old readings.
        configuration.quietDaysMax = 36_500
        configuration.archiveDirectory = location ?? directory
    }

    var archive: Archive {
        get throws { try #require(configuration.archive) }
    }

    func discard() {
        try? FileManager.default.removeItem(atPath: directory)
    }

    func open() throws -> Connection {
        try Connection.open(settings, deadline: .now + .seconds(600))
    }

    func day(ago: Int) -> Day { today.before(days: ago) }

    /// Stores one row of each of three kinds on that day, which gets no table of another kind;
    /// ``RandomRows`` are of all.
    func store(_ day: Day, device: Int = 1) throws {
        let others = ReadingKind.allCases.filter { ![.gps, .vital, .event].contains($0) }
        let first = Day(
            number: try connection.query("SELECT sluice.first_day('\(day.text)')").int32(0, 0))
        let tables = others.map { "sluice_partitions.\(DayPartition(DayTable($0), first).name)" }
        try connection.execute(
            """
            SELECT sluice.ensure_days('\(day.text)', '\(day.text)');
            \(tables.map { "DROP TABLE \($0);" }.joined())
            INSERT INTO sluice.gps
            VALUES (\(device), '\(day.text) 10:00:00.000001+00', 52.5, -0.0::float8, NULL);
            INSERT INTO sluice.vital VALUES (\(device), '\(day.text) 23:59:59.999999+00', 1, 72.5);
            INSERT INTO sluice.event
            VALUES (\(device), '\(day.text) 00:00:00+00', 'motion', NULL, '{"a": 1.50}');
            """)
    }

    /// One run. Waits a moment for the lock: the server may not have noticed yet that a session
    /// ended.
    @discardableResult
    func run(
        on other: Connection? = nil, patience: Duration = .seconds(10), trustsClock: Bool = false,
        step: @escaping (DepartureStep, DayPartition) throws -> Void = { _, _ in }
    ) throws -> RetentionReport {
        guard let session = try ArchiveSession(other ?? connection, patience: patience) else {
            throw ArchiveError.busy
        }
        defer { session.end() }
        return try RetentionRun(
            session, configuration, node: "test", trustsClock: trustsClock, step: step
        ).run()
    }

    @discardableResult
    func restore(
        _ selection: ArchiveSelection = ArchiveSelection(), keep: Duration = .seconds(7 * 86_400)
    ) throws -> [Restoration.Outcome] {
        guard let session = try ArchiveSession(connection, patience: .seconds(10)) else {
            throw ArchiveError.busy
        }
        defer { session.end() }
        let restoration = Restoration(session, configuration.archive)
        return try ArchiveCatalog.parts(selection, on: connection).map {
            try restoration.restore($0, keep: keep)
        }
    }

    /// Removes old rows of one table.
    func sweep(_ name: String) throws -> Int {
        try Schema.Table.leftovers.filter { $0.name == name }
            .reduce(0) { try $0 + $1.sweep(configuration, on: connection) }
    }

    /// Every bit of all rows, in a stable order.
    func bits() throws -> [DayTable: [UInt8]] {
        var all: [DayTable: [UInt8]] = [:]
        for kind in DayTable.allCases {
            var bytes: [UInt8] = []
            let columns = try ArchiveCatalog.columns(of: "sluice.\(kind.rawValue)", on: connection)
            let order = columns.map { "\(ArchiveCatalog.quoted($0))::text" }.joined(separator: ", ")
            try connection.copyOut(
                """
                COPY (SELECT * FROM sluice.\(kind.rawValue) ORDER BY \(order))
                TO STDOUT (FORMAT binary)
                """
            ) { bytes.append(contentsOf: $0) }
            all[kind] = bytes
        }
        return all
    }

    func count(_ sql: String) throws -> Int {
        Int(try connection.query("SELECT count(*) FROM \(sql)").int64(0, 0))
    }

    func files() -> [String] {
        let marks = [ArchiveDirectory.lockName, ArchiveBucket.ownerName]
        return ((try? archive.store.names(prefix: "")) ?? []).filter { !marks.contains($0) }
            .sorted()
    }

    /// A crash before a step of two days' departures loses nothing, and the next run continues.
    func checkCrash(before step: DepartureStep) throws {
        for ago in [31, 33] { try store(day(ago: ago)) }
        let before = try bits()
        for kind in [DayTable.gps, .event] {
            let other = try open()
            #expect(throws: Crash.self) {
                try run(on: other) { at, partition in
                    if at == step, partition.kind == kind {
                        other.close()
                        throw Crash()
                    }
                }
            }
        }
        #expect(try run().failures.isEmpty)
        #expect(try states() == [ArchivedPart.State](repeating: .gone, count: 6))
        #expect(try count("sluice.gps") == 0)
        #expect(try count("pg_tables WHERE tablename LIKE 'leaving%'") == 0)
        #expect(files().count == 12)
        try restore()
        #expect(try bits() == before)
    }

    /// After a crash between a file and its manifest, and a restore, the file has rows of a device
    /// and nothing names it: an erasure finds it.
    func checkErasureOfLeftover() throws {
        try store(day(ago: 31))
        let other = try open()
        #expect(throws: Crash.self) {
            try run(on: other) { at, _ in
                if at == .verify {
                    other.close()
                    throw Crash()
                }
            }
        }
        let name = "gps_\(day(ago: 31).compactText)"
        try archive.store.remove(name + ".json")
        #expect(files() == [name + ".csv.zst"])
        #expect(try restore() == [.putBack])
        let session = try #require(try ArchiveSession(connection, patience: .seconds(10)))
        defer { session.end() }
        let report = try ArchiveErasure(session, archive).erase(deviceKeys: [1])
        #expect(report.failures.isEmpty)
        #expect(files().isEmpty)
        #expect(try count("sluice.gps") == 1)
    }

    func states() throws -> [ArchivedPart.State] {
        try ArchiveCatalog.parts(on: connection).map(\.state)
    }
}

/// Thrown where a test simulates that the process ends.
struct Crash: Error {}

extension DayTable {
    static let gps = DayTable(.gps)
    static let vital = DayTable(.vital)
    static let event = DayTable(.event)
}
