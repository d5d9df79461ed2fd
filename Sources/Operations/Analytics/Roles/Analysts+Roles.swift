public import Postgres
public import Readings

extension Analysts {
    /// Lower-case letters, digits and `_`, not starting with a digit or `pg_`, at most 63: a name
    /// that needs no quotes anywhere. Reserved words and the reader's own name are excluded.
    public static func isName(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x5F
        }
        return isPlain && (1...63).contains(name.utf8.count) && !name.hasPrefix("pg_")
            && !(0x30...0x39).contains(name.utf8.first ?? 0x30) && name != reader
            && !["public", "none"].contains(name)
    }

    /// Makes a role with a random password of 24 letters and digits, 140 bits.
    ///
    /// If no other role uses this database, PUBLIC also loses the right to create temporary tables
    /// and large objects in it.
    public static func create(
        _ name: String, validUntil: Timestamp?, on connection: Connection
    ) throws(AnalystFault) -> NewAnalyst {
        guard isName(name) else { throw .nameInvalid }
        let us = try whoWeAre(connection)
        guard try isOurs(name, connection) == nil else { throw .roleExists }
        guard us.mayCreateRoles else { throw .mayNotCreateRoles(role: us.name) }
        let signs = Array("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        let password = String((0..<24).map { _ in signs[Int.random(in: 0..<signs.count)] })
        do throws(PostgresError) {
            try connection.execute("BEGIN")
            try make(name, password, validUntil, isSuperuser: us.isSuperuser, connection)
            let gaps = try limit(name, isSuperuser: us.isSuperuser, on: connection)
            try connection.commit()
            return NewAnalyst(password: password, gaps: gaps)
        } catch {
            if connection.isOpen { try? connection.rollback() }
            switch error.sqlState {
            case "42710", "23505": throw .roleExists
            case "42501": throw .mayNotGrant(role: us.name)
            default: throw .database(error)
            }
        }
    }

    private static func make(
        _ name: String, _ password: String, _ validUntil: Timestamp?, isSuperuser: Bool,
        _ connection: Connection
    ) throws(PostgresError) {
        let readers = try connection.query("SELECT to_regrole('\(reader)') IS NULL")
        if readers.bool(0, 0) {
            try connection.execute(
                "CREATE ROLE \(reader) NOLOGIN; SELECT sluice.grant_reader('\(reader)')")
        }
        let secret = try connection.scramSecret(of: password, role: name)
        let end = validUntil.map { " VALID UNTIL '\($0.secondsText)'" } ?? ""
        try connection.execute(
            """
            CREATE ROLE "\(name)" LOGIN INHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION
                CONNECTION LIMIT \(connectionsMax) PASSWORD '\(secret)'\(end);
            GRANT \(reader) TO "\(name)";
            COMMENT ON ROLE "\(name)" IS '\(mark)'
            """)
        for (key, value) in settings.sorted(by: { $0.key < $1.key }) {
            try connection.execute("ALTER ROLE \"\(name)\" SET \(key) = '\(value)'")
        }
        if isSuperuser {
            try connection.execute(
                "ALTER ROLE \"\(name)\" SET temp_file_limit = '\(temporaryFileLimit)'")
        }
        // By default PUBLIC may connect.
        let connects = try connection.query(
            """
            SELECT has_database_privilege('\(name)', current_database(), 'CONNECT'),
                quote_ident(current_database())
            """)
        if !connects.bool(0, 0) {
            try connection.execute(
                "GRANT CONNECT ON DATABASE \(connects.string(0, 1)) TO \"\(name)\"")
        }
    }

    /// All roles made by ``Analysts``, sorted by name.
    public static func list(on connection: Connection) throws(AnalystFault) -> [Analyst] {
        do throws(PostgresError) {
            let rows = try connection.query(
                """
                SELECT r.rolname::text, nullif(r.rolvaliduntil, 'infinity'),
                    (SELECT count(*) FROM pg_catalog.pg_stat_activity a WHERE a.usesysid = r.oid)
                FROM pg_catalog.pg_roles r
                WHERE shobj_description(r.oid, 'pg_authid') = '\(mark)'
                ORDER BY 1
                """)
            return (0..<rows.count).map { row in
                Analyst(
                    name: rows.string(row, 0),
                    validUntil: rows.isNull(row, 1)
                        ? nil : Timestamp(microseconds: rows.timestamp(row, 1)),
                    connections: Int(rows.int64(row, 2)))
            }
        } catch {
            throw .database(error)
        }
    }

    /// Removes a role and ends its sessions. If it stops halfway the role can no longer log in;
    /// call it again then.
    ///
    /// - Returns: the number of sessions that we may not end; they go on until they end by
    ///   themselves.
    @discardableResult
    public static func drop(_ name: String, on connection: Connection) throws(AnalystFault) -> Int {
        let us = try whoWeAre(connection)
        guard isName(name), let isOurs = try isOurs(name, connection) else { throw .unknown }
        guard isOurs else { throw .notAnalyst }
        guard us.mayCreateRoles else { throw .mayNotCreateRoles(role: us.name) }
        do throws(PostgresError) {
            try connection.execute("ALTER ROLE \"\(name)\" NOLOGIN")
            let left = try endSessions(of: name, connection)
            let database = try connection.query("SELECT quote_ident(current_database())")
            try connection.execute(
                """
                REVOKE ALL ON DATABASE \(database.string(0, 0)) FROM "\(name)";
                DROP ROLE "\(name)"
                """)
            return left
        } catch {
            switch error.sqlState {
            case "2BP01": throw .ownsObjects
            case "42501": throw .mayNotCreateRoles(role: us.name)
            default: throw .database(error)
            }
        }
    }

    private static func endSessions(
        of name: String, _ connection: Connection
    ) throws(PostgresError) -> Int {
        let sessions = "FROM pg_catalog.pg_stat_activity WHERE usename = '\(name)'"
        do throws(PostgresError) {
            try connection.query("SELECT pg_terminate_backend(pid) \(sessions)")
            return 0
        } catch {
            guard error.sqlState == "42501" else { throw error }
            return Int(try connection.query("SELECT count(*) \(sessions)").int64(0, 0))
        }
    }

    // MARK: Roles

    private static func whoWeAre(
        _ connection: Connection
    ) throws(AnalystFault) -> (name: String, mayCreateRoles: Bool, isSuperuser: Bool) {
        do throws(PostgresError) {
            let rows = try connection.query(
                """
                SELECT rolname::text, rolsuper OR rolcreaterole, rolsuper
                FROM pg_catalog.pg_roles WHERE rolname = current_user
                """)
            return (rows.string(0, 0), rows.bool(0, 1), rows.bool(0, 2))
        } catch {
            throw .database(error)
        }
    }

    /// nil: no role has that name.
    private static func isOurs(
        _ name: String, _ connection: Connection
    ) throws(AnalystFault) -> Bool? {
        do throws(PostgresError) {
            var parameters = Parameters()
            parameters.append(text: name)
            let rows = try connection.query(
                """
                SELECT shobj_description(oid, 'pg_authid') IS NOT DISTINCT FROM '\(mark)'
                FROM pg_catalog.pg_roles WHERE rolname = $1
                """, parameters)
            return rows.count == 0 ? nil : rows.bool(0, 0)
        } catch {
            throw .database(error)
        }
    }
}
