import Dispatch
import Glibc
import Postgres
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ConnectionTests {
    let settings: ConnectionSettings
    let connection: Connection

    init() throws {
        settings = try TestCluster.shared.freshDatabase(named: "connection", migrated: false)
        connection = try Connection.open(settings, deadline: .now + .seconds(30))
    }

    private func failure(_ body: () throws -> Void) -> PostgresError? {
        do {
            try body()
            return nil
        } catch {
            return error as? PostgresError
        }
    }

    @Test func `a rejected statement leaves the connection usable`() throws {
        let error = failure { try connection.execute("SELECT * FROM nothing_here") }
        #expect(error?.kind == .refused)
        #expect(error?.sqlState == "42P01")
        #expect(error?.failureClass == .stop)
        #expect(connection.isIdle)
        #expect(try connection.query("SELECT 7::int8").int64(0, 0) == 7)
    }

    @Test func `an error contains no value, detail or statement`() throws {
        let value = failure { _ = try connection.query("SELECT 'secret-value'::int8") }
        #expect(value?.sqlState == "22P02")
        #expect(value?.message == "")
        try connection.execute(
            "CREATE TABLE once (id text PRIMARY KEY); INSERT INTO once VALUES ('secret-value')")
        let twice = failure { try connection.execute("INSERT INTO once VALUES ('secret-value')") }
        #expect(twice?.sqlState == "23505")
        #expect(twice?.message.isEmpty == false)
        #expect(twice.map { !"\($0)".contains("secret-value") } == true)
    }

    @Test func `a row without a partition is distinguished from a constraint and a trigger`() throws
    {
        try connection.execute(
            """
            CREATE TABLE parted (n int CHECK (n < 100)) PARTITION BY RANGE (n);
            CREATE TABLE parted_1 PARTITION OF parted FOR VALUES FROM (0) TO (200);
            """)
        let missing = failure { try connection.execute("INSERT INTO parted VALUES (-1)") }
        #expect(missing?.sqlState == "23514")
        #expect(missing?.failureClass == .partitionMissing)
        let constraint = failure { try connection.execute("INSERT INTO parted VALUES (150)") }
        #expect(constraint?.sqlState == "23514")
        #expect(constraint?.failureClass == .poison)
        try connection.execute(
            """
            CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
                $$ BEGIN RAISE check_violation; END $$;
            CREATE TRIGGER refuse BEFORE INSERT ON parted_1
                FOR EACH ROW EXECUTE FUNCTION refuse();
            """)
        let trigger = failure { try connection.execute("INSERT INTO parted VALUES (1)") }
        #expect(trigger?.sqlState == "23514")
        #expect(trigger?.failureClass == .poison)
    }

    @Test func `several statements in one query run in order, and their rows are counted`() throws {
        let count = try connection.execute(
            "CREATE TEMP TABLE n (i int); INSERT INTO n SELECT generate_series(1, 12)")
        #expect(count == 12)
        #expect(try connection.query("DELETE FROM n WHERE i > 5").affectedCount == 7)
    }

    @Test func `a prepared statement runs with new values each time`() throws {
        let plus = KeptStatement("plus", "SELECT $1 + $2", types: [.int8, .int8])
        for value in [Int64(1), 2, 3] {
            var parameters = Parameters()
            parameters.append(int8: value)
            parameters.append(int8: 40)
            #expect(try connection.query(kept: plus, parameters).int64(0, 0) == value + 40)
        }
    }

    // MARK: Transactions

    @Test func `a kept statement is parsed once, and again if its result type has changed`() throws
    {
        try connection.execute("CREATE TABLE kept (n int4); INSERT INTO kept VALUES (1)")
        func ask(_ least: Int32) throws -> Rows {
            var parameters = Parameters()
            parameters.append(int4: least)
            return try connection.query(
                keeping: "SELECT n FROM kept WHERE n >= $1", parameters)
        }
        for least in Int32(0)...2 {
            #expect(try ask(least).count == (least <= 1 ? 1 : 0))
        }
        let count = try connection.query("SELECT count(*) FROM pg_prepared_statements")
        #expect(count.int64(0, 0) == 1)
        try connection.execute("ALTER TABLE kept ALTER n TYPE int8")
        for _ in 0..<2 {
            #expect(try ask(1).int64(0, 0) == 1)
        }
        // After it has been parsed again it also works in a transaction, where it can't be parsed
        // again.
        #expect(try connection.transaction { try ask(1).int64(0, 0) } == 1)
        try connection.execute("ALTER TABLE kept ALTER n TYPE int4")
        let inside = failure {
            try connection.transaction { _ = try ask(1) }
        }
        #expect(inside?.sqlState == "0A000")
        #expect(connection.isIdle)
    }

    @Test func `a statement that could not be parsed again can still be used and renewed`() throws {
        let one = KeptStatement("one", "SELECT 1", types: [])
        try connection.query(kept: one)
        try connection.execute("BEGIN")
        #expect(throws: PostgresError.self) { try connection.query("SELECT 1 / 0") }
        #expect(throws: PostgresError.self) { try connection.renew(one) }
        try connection.rollback()
        #expect(try connection.query(kept: one).int32(0, 0) == 1)
        try connection.renew(one)
        #expect(try connection.query(kept: one).int32(0, 0) == 1)
    }

    @Test func `begin and a prepared statement open a transaction in one round trip`() throws {
        try connection.execute("CREATE TABLE t (i int8)")
        let put = KeptStatement("put", "INSERT INTO t VALUES ($1) RETURNING i * 2", types: [.int8])
        var parameters = Parameters()
        parameters.append(int8: 21)
        let rows = try connection.begin(thenKept: put, parameters)
        #expect(rows.int64(0, 0) == 42)
        #expect(!connection.isIdle)
        try connection.rollback()
        #expect(try connection.query("SELECT count(*) FROM t").int64(0, 0) == 0)
        _ = try connection.begin(thenKept: put, parameters)
        try connection.commit()
        #expect(try connection.query("SELECT count(*) FROM t").int64(0, 0) == 1)
    }

    @Test func `a failure after begin leaves a transaction to roll back`() throws {
        let divide = KeptStatement("divide", "SELECT 1 / $1", types: [.int8])
        for _ in 0..<3 {
            var parameters = Parameters()
            parameters.append(int8: 0)
            let error = failure { _ = try connection.begin(thenKept: divide, parameters) }
            #expect(error?.sqlState == "22012")
            #expect(connection.isOpen && !connection.isIdle)
            try connection.rollback()
            #expect(connection.isIdle)
            parameters.removeAll()
            parameters.append(int8: 1)
            #expect(try connection.begin(thenKept: divide, parameters).int64(0, 0) == 1)
            try connection.commit()
        }
    }

    @Test func `statements that are sent together are answered in order`() throws {
        try connection.execute("CREATE TABLE t (i int8)")
        let put = KeptStatement("put", "INSERT INTO t VALUES ($1)", types: [.int8])
        let results = try connection.together { pipeline throws(PostgresError) in
            try pipeline.add("BEGIN")
            for value in [Int64(1), 2, 3] {
                var parameters = Parameters()
                parameters.append(int8: value)
                try pipeline.add(kept: put, parameters)
            }
            try pipeline.add("SELECT sum(i)::int8 FROM t")
            try pipeline.addCommit(hasWritten: true)
        }
        #expect(results.count == 6)
        #expect(results[3].affectedCount == 1)
        #expect(results[4].int64(0, 0) == 6)
        #expect(connection.isIdle)
        // More than fits into the sockets, both ways.
        let large = try connection.together { pipeline throws(PostgresError) in
            for _ in 0..<20 {
                var parameters = Parameters()
                parameters.append(text: String(repeating: "x", count: 1_000_000))
                try pipeline.add("SELECT $1", parameters)
            }
        }
        #expect(large.allSatisfy { $0.bytes(0, 0).count == 1_000_000 })
    }

    @Test func `after a failure the statements behind it are skipped`() throws {
        try connection.execute("CREATE TABLE t (i int8)")
        let bad = KeptStatement("bad", "SELECT 1 / $1", types: [.int8])
        let put = KeptStatement("put", "INSERT INTO t VALUES ($1)", types: [.int8])
        var zero = Parameters()
        zero.append(int8: 0)
        for _ in 0..<2 {
            let error = failure {
                try connection.together { pipeline throws(PostgresError) in
                    try pipeline.add("BEGIN")
                    try pipeline.add(kept: put, zero)
                    try pipeline.add(kept: bad, zero)
                    try pipeline.add(kept: put, zero)
                    try pipeline.addCommit(hasWritten: true)
                }
            }
            #expect(error?.sqlState == "22012")
            #expect(connection.isOpen && !connection.isIdle)
            // The rollback can be sent together with the next transaction.
            try connection.together { pipeline throws(PostgresError) in
                try pipeline.add("ROLLBACK")
                try pipeline.add("BEGIN")
                try pipeline.add(kept: put, zero)
                try pipeline.addCommit(hasWritten: true)
            }
            #expect(connection.isIdle)
        }
        #expect(try connection.query("SELECT count(*) FROM t").int64(0, 0) == 2)
    }

    @Test func `a COMMIT of a failed transaction is an error`() throws {
        try connection.execute("BEGIN")
        _ = failure { try connection.execute("SELECT 1 / 0") }
        let error = failure { try connection.commit() }
        #expect(error?.sqlState == .inFailedTransaction)
        #expect(connection.isIdle)
        try connection.execute("BEGIN")
        _ = failure { try connection.execute("SELECT 1 / 0") }
        let other = failure {
            try connection.together { pipeline throws(PostgresError) in
                try pipeline.addCommit(hasWritten: true)
            }
        }
        #expect(other?.sqlState == .inFailedTransaction)
        #expect(connection.isIdle)
    }

    @Test func `a transaction whose body throws is rolled back`() throws {
        struct Stop: Error {}
        try connection.execute("CREATE TABLE t (i int)")
        #expect(throws: Stop.self) {
            try connection.transaction {
                try connection.execute("INSERT INTO t VALUES (1)")
                throw Stop()
            }
        }
        #expect(try connection.query("SELECT count(*) FROM t").int64(0, 0) == 0)
    }

    // MARK: Lost servers

    @Test func `a slow statement ends at the deadline`() throws {
        connection.deadline = .now + .milliseconds(200)
        // The statement would succeed without the deadline.
        let error = failure { try connection.execute("SELECT pg_sleep(60)") }
        #expect(error?.kind == .deadlineExceeded)
        #expect(error?.failureClass == .retry)
        #expect(!connection.isOpen)
        #expect(failure { try connection.execute("SELECT 1") }?.kind == .connectionLost)
    }

    @Test func `a frozen server costs one deadline`() throws {
        let backend = connection.backendID
        kill(backend, SIGSTOP)
        defer { kill(backend, SIGCONT) }
        connection.deadline = .now + .milliseconds(200)
        #expect(failure { try connection.execute("SELECT 1") }?.kind == .deadlineExceeded)
    }

    @Test func `a terminated backend is a lost connection with the server's reason`() throws {
        let other = try Connection.open(settings, deadline: .now + .seconds(10))
        try other.execute("SELECT pg_terminate_backend(\(connection.backendID))")
        var error: PostgresError?
        for _ in 0..<100 where error == nil {
            error = failure { try connection.execute("SELECT pg_sleep(0.01)") }
        }
        #expect(error?.kind == .connectionLost)
        #expect(error?.sqlState == "57P01" || error?.sqlState == nil)
        #expect(error?.failureClass == .retry)
        #expect(!connection.isOpen)
    }

    @Test func `a probe detects a session that the server closed`() throws {
        #expect(connection.probe())
        let other = try Connection.open(settings, deadline: .now + .seconds(10))
        try other.execute("SELECT pg_terminate_backend(\(connection.backendID), 60000)")
        #expect(!connection.probe())
        #expect(!connection.isOpen)
    }

    @Test func `another thread can cancel a running query`() throws {
        let canceller = connection.canceller
        let other = try Connection.open(settings, deadline: .now + .seconds(300))
        let backend = connection.backendID
        connection.deadline = .now + .seconds(300)
        // Waits until there is a query to cancel. Used only by the thread.
        nonisolated(unsafe) let watcher = other
        let cancelling = DispatchGroup()
        DispatchQueue.global().async(group: cancelling) {
            let isRunning = try? eventuallyBlocking {
                try watcher.query(
                    "SELECT FROM pg_stat_activity WHERE pid = \(backend) "
                        + "AND wait_event = 'PgSleep'"
                ).count == 1
            }
            #expect(isRunning == true)
            canceller.cancel()
        }
        #expect(failure { try connection.execute("SELECT pg_sleep(250)") }?.sqlState == "57014")
        cancelling.wait()
        #expect(connection.isIdle)
        connection.close()
        #expect(!canceller.cancel())
    }

    // MARK: Opening

    @Test func `a missing database is reported with its code`() {
        var settings = settings
        settings.database = "nobody_made_this"
        let error = failure { _ = try Connection.open(settings, deadline: .now + .seconds(10)) }
        #expect(error?.kind == .connectionFailed)
        #expect(error?.sqlState == "3D000")
        #expect(error?.failureClass == .retry)
    }

    @Test func `an unreachable server is a failure to retry`() {
        let nowhere = ConnectionSettings(
            socketDirectory: "/nonexistent", user: "sluice", database: "sluice")
        let error = failure { _ = try Connection.open(nowhere, deadline: .now + .seconds(10)) }
        #expect(error?.kind == .connectionFailed)
        #expect(error?.sqlState == nil)
        #expect(error?.failureClass == .retry)
    }

    @Test func `a server that accepts but does not answer costs one deadline`() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = bind(listener, address, length)
                _ = listen(listener, 1)
                _ = getsockname(listener, address, &length)
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        let silent = try ConnectionSettings("postgresql://sluice@127.0.0.1:\(port)/x")
        let error = failure {
            _ = try Connection.open(silent, deadline: .now + .milliseconds(200))
        }
        // Without a limit this would wait for ever.
        #expect(error?.kind == .connectionFailed)
    }

    @Test func `settings never show the password`() throws {
        let settings = try ConnectionSettings(
            "postgresql://me:hunter2@db.example:5433/sluice?sslmode=require")
        #expect(settings.password == "hunter2")
        #expect(settings.port == "5433")
        var shown = "\(settings) \(String(reflecting: settings))"
        dump(settings, to: &shown)
        #expect(!shown.contains("hunter2"))
        #expect(shown.contains("db.example") && shown.contains("sslmode='require'"))
        #expect(
            throws: PostgresError(
                .settingsInvalid, message: "neither a postgresql:// URL nor a connection string")
        ) { try ConnectionSettings("postgresql://me:hunter2@[") }
        // libpq would look for a host or a database of such a name, and say so.
        for address in ["me:hun@ter2@db.example/sluice", "me:hun/ter2@db.example/sluice"] {
            let error = #expect(throws: PostgresError.self) {
                try ConnectionSettings("postgresql://\(address)")
            }
            #expect(error?.kind == .settingsInvalid && error?.reason.contains("%40") == true)
        }
        #expect(
            try ConnectionSettings("postgres://me@a:1,b:2/d%40e?application_name=x@y").database
                == "d@e")
    }

    @Test func `a session starts with its settings, and the caller's options win`() throws {
        var settings = settings
        settings.sessionSettings["DateStyle"] = "ISO, DMY"
        settings.sessionSettings["work_mem"] = "1MB"
        let connection = try Connection.open(settings, deadline: .now + .seconds(10))
        let rows = try connection.query(
            "SELECT current_setting('DateStyle'), current_setting('work_mem'), "
                + "current_setting('TimeZone')")
        #expect(rows.string(0, 0) == "ISO, DMY")
        #expect(rows.string(0, 1) == "1MB")
        #expect(rows.string(0, 2) == "UTC")
        let own = try ConnectionSettings(
            "\(settings) options='-c TimeZone=Europe/Berlin'")
        let other = try Connection.open(own, deadline: .now + .seconds(10))
        #expect(try other.query("SHOW TimeZone").string(0, 0) == "Europe/Berlin")
    }
}
