import Postgres
import Schema
import TestSupport
import Testing

/// A binary with a schema that a newer binary has migrated.
@Suite(.timeLimit(.minutes(10)))
struct OlderBinaryTests {
    private static func step(_ number: Int, oldestBinary: Int? = nil) -> Schema.Migration {
        Schema.Migration(
            number: number, name: "step_\(number)",
            sql: [UInt8]("CREATE SCHEMA s\(number)".utf8), oldestBinary: oldestBinary)
    }

    private func database(_ steps: [Schema.Migration]) throws -> Connection {
        let connection = try TestCluster.shared.freshConnection(named: "older", migrated: false)
        _ = try Migrator(migrations: steps).run(on: connection)
        return connection
    }

    private static func isAdmitted(_ version: Int, _ connection: Connection) throws -> Bool {
        let started = Result { () throws(MigrationError) in
            try Migrator(migrations: (1...version).map { step($0) }).run(on: connection)
        }
        let connected = Result { () throws(PostgresError) in
            try Migrator.demandCurrent(on: connection, version: version)
        }
        switch (started, connected) {
        case (.success(let report), .success):
            #expect(report.applied.isEmpty && report.notices.count == 1)
            return true
        case (.failure(.databaseNewer(_, version)), .failure(let error)):
            #expect(error.failureClass == .stop)
            return false
        default:
            Issue.record("start and connections differ: \(started), \(connected)")
            return false
        }
    }

    @Test(
        arguments: [
            // The steps after the second, and which of versions 1, 2 and 3 may continue.
            ([(nil as Int?)], [false, false]),
            ([2], [false, true]),
            ([1], [true, true]),
            ([1, 2], [false, true, true]),
            ([2, nil], [false, false, false]),
            ([nil, 3], [false, false, true]),
        ])
    func `only binaries that newer steps allow may continue`(
        oldest: [Int?], admitted: [Bool]
    ) throws {
        let newer = oldest.enumerated().map { Self.step($0.offset + 3, oldestBinary: $0.element) }
        let connection = try database([Self.step(1), Self.step(2, oldestBinary: 1)] + newer)
        for (index, isAdmitted) in admitted.enumerated() {
            #expect(try Self.isAdmitted(index + 1, connection) == isAdmitted, "\(index + 1)")
        }
    }

    @Test(arguments: [(2, false), (3, true), (nil, true)])
    func `lanes of binaries that a step excludes lose their connections, others keep them`(
        oldest: Int?, isLeftBehind: Bool
    ) throws {
        let settings = try TestCluster.shared.freshDatabase(named: "older", migrated: false)
        let steps = [Self.step(1), Self.step(2), Self.step(3, oldestBinary: oldest)]
        let connection = try Connection.open(settings, deadline: .now + .seconds(30))
        _ = try Migrator(migrations: Array(steps[..<2])).run(on: connection)
        var others = settings
        others.applicationName = "sluice lane 0"
        let lane = try Connection.open(others, deadline: .now + .seconds(30))
        others.applicationName = "psql"
        let other = try Connection.open(others, deadline: .now + .seconds(30))
        _ = try Migrator(migrations: steps).run(on: connection)
        try other.query("SELECT 1")
        do throws(PostgresError) {
            try lane.query("SELECT 1")
            #expect(!isLeftBehind)
        } catch {
            #expect(isLeftBehind && error.isConnectionClosed, "\(error)")
        }
    }

    @Test func `a schema that is not migrated yet is rejected`() throws {
        let connection = try database([Self.step(1, oldestBinary: 1)])
        let error = #expect(throws: PostgresError.self) {
            try Migrator.demandCurrent(on: connection, version: 2)
        }
        #expect(error?.message == "the schema is at version 1, this binary needs 2")
    }
}
