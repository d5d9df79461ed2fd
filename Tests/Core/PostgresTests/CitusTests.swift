import Postgres
import Schema
import TestSupport
import Testing

/// Tests of `citus.sql` without Citus: plain PostgreSQL is rejected, and the file is valid SQL
/// that knows all tables. `Tests/Scripts/run Nodes` runs it on a Citus cluster, if there is one.
struct CitusTests {
    @Test func `a database without the extension is rejected and not changed`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "refused")
        defer { connection.close() }
        #expect(throws: Citus.Failure.extensionMissing) { try Citus.distribute(on: connection) }
        let rows = try connection.query("SELECT to_regclass('sluice.shard_heartbeat') IS NULL")
        #expect(rows.bool(0, 0))
    }

    /// Replaces the functions of Citus for one transaction, and only records their calls.
    private static let standIns = """
        SET search_path = pg_catalog, pg_temp;
        CREATE TABLE pg_temp.called (number serial, what text);
        CREATE TABLE pg_temp.pg_dist_partition (logicalrelid regclass);
        CREATE FUNCTION pg_temp.create_distributed_table(
            t regclass, k text, colocate_with text DEFAULT 'default') RETURNS void
        LANGUAGE sql AS $$
            INSERT INTO pg_temp.called (what) VALUES (t || ' ' || k || ' ' || colocate_with);
            INSERT INTO pg_temp.pg_dist_partition VALUES (t)
        $$;
        CREATE FUNCTION pg_temp.create_reference_table(t regclass) RETURNS void
        LANGUAGE sql AS $$
            INSERT INTO pg_temp.called (what) VALUES (t || ' everywhere');
            INSERT INTO pg_temp.pg_dist_partition VALUES (t)
        $$;
        CREATE FUNCTION pg_temp.truncate_local_data_after_distributing_table(t regclass)
        RETURNS void LANGUAGE sql AS '';
        CREATE FUNCTION pg_temp.create_distributed_function(f regprocedure) RETURNS void
        LANGUAGE sql AS $$ INSERT INTO pg_temp.called (what) VALUES ('function ' || f) $$;
        """

    /// Functions of a temporary schema are found only by their full names.
    private static var fileWithStandIns: String {
        var text = String(decoding: Schema.citus, as: UTF8.self)
        for name in [
            "create_distributed_table(", "create_reference_table(", "create_distributed_function(",
            "truncate_local_data_after_distributing_table(",
        ] { text = text.split(separator: name).joined(separator: "pg_temp." + name) }
        return text
    }

    private static func called(_ connection: Connection) throws -> [String] {
        let rows = try connection.query("SELECT what FROM pg_temp.called ORDER BY number")
        return (0..<rows.count).map { rows.string($0, 0) }
    }

    @Test func `the file distributes every table with a device key, once`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "dry")
        defer { connection.close() }
        try connection.execute(Self.standIns)
        try connection.execute("BEGIN; \(Self.fileWithStandIns); COMMIT")
        let first = try Self.called(connection)
        #expect(first.first == "sluice.device_state device_key none")
        let followers = first.filter { $0.hasSuffix(" device_key sluice.device_state") }
        let spread = Schema.tables.filter(\.isSpread).map(\.qualifiedName)
        #expect(spread.count > 8)
        #expect(
            Set(followers.map { String($0.prefix { $0 != " " }) })
                == Set(spread).subtracting(["sluice.device_state"]))
        #expect(first.filter { $0.hasSuffix(" everywhere") }.count == 3)
        // A second run distributes nothing again, but hands over the current functions.
        try connection.execute("DELETE FROM pg_temp.called")
        try connection.execute("BEGIN; \(Self.fileWithStandIns); COMMIT")
        #expect(try Self.called(connection).allSatisfy { $0.hasPrefix("function ") })
    }

    @Test func `every unique key of a distributed table has the device key`() throws {
        let connection = try TestCluster.shared.freshConnection(named: "keys")
        defer { connection.close() }
        try connection.execute(Self.standIns)
        try connection.execute("BEGIN; \(Self.fileWithStandIns); COMMIT")
        let rows = try connection.query(
            """
            SELECT i.indexrelid::regclass::text FROM pg_index i
            JOIN pg_temp.pg_dist_partition d ON d.logicalrelid = i.indrelid
            WHERE i.indisunique AND i.indrelid::regclass::text NOT LIKE '%.m%'
                AND NOT EXISTS (
                    SELECT FROM pg_attribute a WHERE a.attrelid = i.indrelid
                        AND a.attname = 'device_key' AND a.attnum = ANY (i.indkey))
            """)
        #expect((0..<rows.count).map { rows.string($0, 0) } == [])
        let foreign = try connection.query(
            """
            SELECT count(*) FROM pg_constraint c JOIN pg_temp.pg_dist_partition d
                ON d.logicalrelid IN (c.conrelid, c.confrelid) WHERE c.contype = 'f'
            """)
        #expect(foreign.int64(0, 0) == 0)
    }
}
