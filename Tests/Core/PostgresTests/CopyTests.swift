import Glibc
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct CopyTests {
    /// 2026-02-10 12:00 UTC.
    static let noon: Int64 = 824_040_000_000_000
    static let copies = """
        COPY sluice.gps (device_key, t, lat, lon, acc) FROM STDIN (FORMAT binary);
        COPY sluice.vital (device_key, t, code, val) FROM STDIN (FORMAT binary);
        COMMIT
        """

    let settings: ConnectionSettings
    let connection: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "copy")
        connection = try Connection.open(settings, deadline: .now + .seconds(30))
        try connection.execute("SELECT sluice.ensure_days('2026-02-10', '2026-02-10')")
    }

    private func counts() throws -> [Int64] {
        let rows = try connection.query(
            "SELECT (SELECT count(*) FROM sluice.gps), (SELECT count(*) FROM sluice.vital)")
        return [rows.int64(0, 0), rows.int64(0, 1)]
    }

    private func failure(
        _ source: (Int, inout Connection.CopyWriter) throws(PostgresError) -> Void
    ) throws -> PostgresError? {
        try connection.execute("BEGIN")
        do throws(PostgresError) {
            try connection.copy(Self.copies, source: source)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [1, 7, 1000, 30_000, 40_000, 65_517, 65_535, 65_536, 65_537, 1_000_000])
    func `rows are stored however the stream is split`(pieceBytes: Int) throws {
        var gps: [UInt8] = []
        for index in 0..<3000 {
            gps += TupleBytes.gps(device: Int64(index), time: Self.noon + Int64(index))
        }
        let vital = TupleBytes.vital(device: 5, time: Self.noon)
        try connection.execute("BEGIN")
        let counts = try connection.copy(Self.copies) { number, writer throws(PostgresError) in
            var rest = (number == 0 ? gps : vital)[...]
            while !rest.isEmpty {
                try writer.write(Array(rest.prefix(pieceBytes)))
                rest = rest.dropFirst(pieceBytes)
            }
        }
        #expect(counts == [3000, 1])
        #expect(connection.isIdle)
        #expect(try self.counts() == [3000, 1])
        let rows = try connection.query(
            "SELECT min(device_key), max(device_key), count(DISTINCT t) FROM sluice.gps")
        #expect(rows.int64(0, 0) == 0 && rows.int64(0, 1) == 2999 && rows.int64(0, 2) == 3000)
    }

    @Test func `a COPY without rows copies none`() throws {
        try connection.execute("BEGIN")
        let counts = try connection.copy(Self.copies) { _, _ in }
        #expect(counts == [0, 0])
    }

    @Test func `copied rows come out with the same bytes`() throws {
        let tuple = TupleBytes.gps(device: -3, time: Self.noon, latitude: 34.0522)
        try connection.copy(
            "COPY sluice.gps (device_key, t, lat, lon, acc) FROM STDIN (FORMAT binary)"
        ) { _, writer throws(PostgresError) in try writer.write(tuple) }
        var out: [UInt8] = []
        try connection.copyOut(
            "COPY (SELECT device_key, t, lat, lon, acc FROM sluice.gps) TO STDOUT (FORMAT binary)"
        ) { out += $0 }
        #expect(out.dropFirst(19).dropLast(2) == tuple[...])
        #expect(connection.isIdle)
        let error = #expect(throws: PostgresError.self) {
            try connection.copyOut("COPY (SELECT 1 / (device_key + 3) FROM sluice.gps) TO STDOUT") {
                _ in
            }
        }
        #expect(error?.sqlState == "22012")
        #expect(connection.isIdle)
    }

    @Test func `an error in the second COPY rolls back the first`() throws {
        let error = try failure { number, writer throws(PostgresError) in
            if number == 0 {
                try writer.write(TupleBytes.gps(device: 1, time: Self.noon))
            } else {
                // Five fields instead of four.
                try writer.write(TupleBytes.gps(device: 1, time: Self.noon))
            }
        }
        #expect(error?.kind == .refused)
        #expect(error?.sqlState == "22P04")
        #expect(error?.failureClass == .poison)
        try connection.rollback()
        #expect(try counts() == [0, 0])
    }

    @Test func `a day without a partition has its own failure class`() throws {
        let error = try failure { _, writer throws(PostgresError) in
            try writer.write(TupleBytes.gps(device: 1, time: Self.noon + 10 * 86_400_000_000))
        }
        #expect(error?.failureClass == .partitionMissing)
        try connection.rollback()
        #expect(connection.isIdle)
    }

    @Test func `an early error stops the stream soon`() throws {
        let bad = TupleBytes.gps(device: 1, time: Self.noon - 10 * 86_400_000_000)
        let good = [UInt8](
            (0..<1000).map { _ in TupleBytes.gps(device: 2, time: Self.noon) }.joined())
        var written = 0
        let error = try failure { _, writer throws(PostgresError) in
            try writer.write(bad)
            for _ in 0..<2000 {
                try writer.write(good)
                written += good.count
            }
        }
        #expect(error?.failureClass == .partitionMissing)
        // A few megabytes may be in the socket's buffers, but not 110 MB.
        #expect(written < 20_000_000, "wrote \(written) bytes")
        try connection.rollback()
        #expect(try counts() == [0, 0])
    }

    @Test func `a source that hides the error does not hide it from the caller`() throws {
        let bad = [UInt8](
            (0..<100_000).map { _ in TupleBytes.vital(device: 2, time: Self.noon) }.joined())
        let error = try failure { _, writer in
            do throws(PostgresError) { try writer.write(bad) } catch {}
            do throws(PostgresError) { try writer.write(bad) } catch {}
        }
        #expect(error?.sqlState == "22P04")
        try connection.rollback()
    }

    @Test func `an error of the source is thrown and the COPY rolled back`() throws {
        let own = PostgresError(.refused, sqlState: "P0001", message: "own")
        let error = try failure { number, writer throws(PostgresError) in
            try writer.write(TupleBytes.gps(device: 1, time: Self.noon))
            throw own
        }
        #expect(error == own)
        #expect(connection.isOpen && !connection.isIdle)
        try connection.rollback()
        #expect(try counts() == [0, 0])
    }

    @Test func `a constraint that is checked at COMMIT fails the copy`() throws {
        try connection.execute(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '23P01'; END $$;
            CREATE CONSTRAINT TRIGGER late AFTER INSERT ON sluice.vital
            DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse();
            """)
        let error = try failure { number, writer throws(PostgresError) in
            try writer.write(
                number == 0
                    ? TupleBytes.gps(device: 1, time: Self.noon)
                    : TupleBytes.vital(device: 1, time: Self.noon))
        }
        #expect(error?.sqlState == "23P01")
        try connection.rollback()
        #expect(try counts() == [0, 0])
    }

    @Test func `COMMIT of a failed transaction is an error`() throws {
        try connection.execute("BEGIN")
        _ = try? connection.execute("SELECT 1 / 0")
        let error = #expect(throws: PostgresError.self) {
            try connection.copy("COMMIT") { _, _ in }
        }
        #expect(error?.sqlState == .inFailedTransaction)
        #expect(connection.isIdle)
    }

    @Test func `a notice during COPY is no error`() throws {
        try connection.execute(
            """
            CREATE FUNCTION mutter() RETURNS trigger LANGUAGE plpgsql
            AS $$ BEGIN RAISE WARNING 'a row'; RETURN NEW; END $$;
            CREATE TRIGGER mutter BEFORE INSERT ON sluice.gps
            FOR EACH ROW EXECUTE FUNCTION mutter();
            """)
        let tuples = [UInt8](
            (0..<20_000).map { TupleBytes.gps(device: Int64($0), time: Self.noon) }.joined())
        try connection.execute("BEGIN")
        let counts = try connection.copy(Self.copies) { number, writer throws(PostgresError) in
            if number == 0 { try writer.write(tuples) }
        }
        #expect(counts == [20_000, 0])
        #expect(connection.takeNotices().first == "a row")
    }

    @Test func `a server that ends during COPY is a lost connection`() throws {
        let other = try Connection.open(settings, deadline: .now + .seconds(10))
        let backend = connection.backendID
        let piece = [UInt8](
            (0..<1000).map { TupleBytes.gps(device: Int64($0), time: Self.noon) }.joined())
        let error = try failure { _, writer throws(PostgresError) in
            try writer.write(piece)
            try other.execute("SELECT pg_terminate_backend(\(backend), 60000)")
            for _ in 0..<1000 { try writer.write(piece) }
        }
        #expect(error?.kind == .connectionLost)
        #expect(error?.sqlState == "57P01" || error?.sqlState == nil)
        #expect(error?.failureClass == .retry)
        #expect(!connection.isOpen)
    }

    @Test func `a server that freezes during COPY costs one deadline`() throws {
        let backend = connection.backendID
        defer { kill(backend, SIGCONT) }
        let piece = [UInt8](repeating: 0, count: 1_000_000)
        let error = try failure { _, writer throws(PostgresError) in
            kill(backend, SIGSTOP)
            connection.deadline = .now + .milliseconds(200)
            for _ in 0..<100 { try writer.write(piece) }
        }
        #expect(error?.kind == .deadlineExceeded)
        #expect(!connection.isOpen)
    }
}
