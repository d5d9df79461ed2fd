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

    /// Makes a role with a random password of 24 letters and digits, 140 bits. Makes one of ours
    /// whole again that can't log in, because ``drop(_:on:)`` stopped halfway.
    ///
    /// If no other role uses this database, PUBLIC also loses the right to create temporary tables
    /// and large objects in it.
    public static func create(
        _ name: String, validUntil: Timestamp?, on connection: Connection
    ) throws(AnalystFault) -> NewAnalyst {
        guard isName(name) else { throw .nameInvalid(name) }
        let us = try whoWeAre(connection)
        let state = try state(of: name, connection)
        guard [nil, .halfDropped].contains(state) else { throw .roleExists(name) }
        guard us.mayCreateRoles else { throw .mayNotCreateRoles(role: us.name) }
        let signs = Array("abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        let password = String((0..<24).map { _ in signs[Int.random(in: 0..<signs.count)] })
        do throws(PostgresError) {
            let isOnCitus = try hasCitus(connection)
            try connection.execute("BEGIN; \(rightsLock)")
            try make(
                name, password, validUntil, isNew: state == nil, isSuperuser: us.isSuperuser,
                connection)
            let gaps = try limit(name, isSuperuser: us.isSuperuser, on: connection)
            try connection.commit()
            return NewAnalyst(password: password, gaps: gaps, isOnCitus: isOnCitus)
        } catch {
            if connection.isOpen { try? connection.rollback() }
            switch error.sqlState {
            case "42710", "23505": throw .roleExists(name)
            case "42501": throw .mayNotGrant(role: us.name)
            default: throw .database(error)
            }
        }
    }

    private static func make(
        _ name: String, _ password: String, _ validUntil: Timestamp?, isNew: Bool,
        isSuperuser: Bool, _ connection: Connection
    ) throws(PostgresError) {
        let readers = try connection.query("SELECT to_regrole('\(reader)') IS NULL")
        if readers.bool(0, 0) {
            try connection.execute(
                "CREATE ROLE \(reader) NOLOGIN; SELECT sluice.grant_reader('\(reader)')")
        }
        let secret = try connection.scramSecret(of: password, role: name)
        let end = " VALID UNTIL '\(validUntil?.secondsText ?? "infinity")'"
        try connection.execute(
            """
            \(isNew ? "CREATE" : "ALTER") ROLE "\(name)" LOGIN INHERIT NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION
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

    /// All roles made by ``Analysts``, sorted by name; also those that ``drop(_:on:)`` left.
    public static func list(on connection: Connection) throws(AnalystFault) -> [Analyst] {
        do throws(PostgresError) {
            let rows = try connection.query(
                """
                SELECT r.rolname::text, nullif(r.rolvaliduntil, 'infinity'),
                    (SELECT count(*) FROM pg_catalog.pg_stat_activity a WHERE a.usesysid = r.oid),
                    r.rolcanlogin AND EXISTS (SELECT FROM pg_catalog.pg_auth_members m
                        WHERE m.member = r.oid AND m.roleid = to_regrole('\(reader)')),
                    (SELECT count(*) FROM (VALUES \(limitValues)) s (name, value)
                        WHERE EXISTS (SELECT FROM pg_catalog.pg_db_role_setting d
                            WHERE d.setrole = r.oid AND d.setdatabase = 0
                                AND s.name || '=' || s.value = ANY (d.setconfig)))
                FROM pg_catalog.pg_roles r
                WHERE shobj_description(r.oid, 'pg_authid') = '\(mark)'
                ORDER BY 1
                """)
            return (0..<rows.count).map { row in
                Analyst(
                    name: rows.string(row, 0),
                    validUntil: rows.isNull(row, 1)
                        ? nil : Timestamp(microseconds: rows.timestamp(row, 1)),
                    connections: Int(rows.int64(row, 2)), isWhole: rows.bool(row, 3),
                    isLimited: Int(rows.int64(row, 4)) == limits.count)
            }
        } catch {
            throw .database(error)
        }
    }

    /// Removes a role and ends its sessions. If it stops halfway the role can no longer log in;
    /// call it again then, or make the role whole again by ``create(_:validUntil:on:)``.
    ///
    /// In a database that became a Citus cluster, workers lack roles that are older than that.
    ///
    /// - Returns: the number of sessions that we may not end; they go on until they end by
    ///   themselves.
    @discardableResult
    public static func drop(_ name: String, on connection: Connection) throws(AnalystFault) -> Int {
        let us = try whoWeAre(connection)
        guard isName(name), let state = try state(of: name, connection) else {
            throw .unknown(name)
        }
        guard state != .notOurs else { throw .notAnalyst(name) }
        guard us.mayCreateRoles else { throw .mayNotCreateRoles(role: us.name) }
        do throws(PostgresError) {
            do throws(PostgresError) {
                return try remove(name, isLocal: false, on: connection)
            } catch {
                guard error.sqlState == "42704", try hasCitus(connection) else { throw error }
                let left = try remove(name, isLocal: true, on: connection)
                try removeFromWorkers(name, connection)
                return left
            }
        } catch {
            switch error.sqlState {
            case "2BP01": throw .ownsObjects(name)
            case "42501": throw .mayNotCreateRoles(role: us.name)
            default: throw .database(error)
            }
        }
    }

    /// - Parameter isLocal: Citus does not pass the statements on to its workers.
    @discardableResult
    static func remove(
        _ name: String, isLocal: Bool, on connection: Connection
    ) throws(PostgresError) -> Int {
        func commit(_ statements: String) throws(PostgresError) {
            do throws(PostgresError) {
                let scope = isLocal ? "SET LOCAL citus.enable_ddl_propagation = off;" : ""
                try connection.execute("BEGIN; \(rightsLock) \(scope) \(statements)")
                try connection.commit()
            } catch {
                if connection.isOpen { try? connection.rollback() }
                throw error
            }
        }
        let database = try connection.query("SELECT quote_ident(current_database())")
        try commit("ALTER ROLE \"\(name)\" NOLOGIN")
        let left = try endSessions(of: name, connection)
        try commit(
            """
            REVOKE ALL ON DATABASE \(database.string(0, 0)) FROM "\(name)"; DROP ROLE "\(name)"
            """)
        return left
    }

    /// Removes the role from workers that have it.
    ///
    /// - Throws: `.refused` with the workers where that failed.
    private static func removeFromWorkers(
        _ name: String, _ connection: Connection
    ) throws(PostgresError) {
        let failures = try connection.query(
            """
            SELECT nodename || ':' || nodeport || ': ' || result FROM run_command_on_workers($$
                DO $do$
                BEGIN
                    PERFORM set_config('citus.enable_ddl_propagation', 'off', true);
                    IF to_regrole('\(name)') IS NOT NULL THEN
                        EXECUTE format('REVOKE ALL ON DATABASE %I FROM "\(name)"', current_database());
                        DROP ROLE "\(name)";
                    END IF;
                END
                $do$ $$)
            WHERE NOT success
            """)
        guard failures.count > 0 else { return }
        let places = (0..<failures.count).map { failures.string($0, 0) }
        throw PostgresError(
            .refused,
            message:
                "the role is gone from the coordinator, but not from \(places.joined(separator: "; "))"
        )
    }

    private static func hasCitus(_ connection: Connection) throws(PostgresError) -> Bool {
        try connection.query(
            "SELECT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = 'citus')"
        ).bool(0, 0)
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

    private enum RoleState {
        case notOurs, whole
        /// Can't log in, or lacks the reader's rights.
        case halfDropped
    }

    /// nil: no role has that name.
    private static func state(
        of name: String, _ connection: Connection
    ) throws(AnalystFault) -> RoleState? {
        do throws(PostgresError) {
            var parameters = Parameters()
            parameters.append(text: name)
            let rows = try connection.query(
                """
                SELECT shobj_description(oid, 'pg_authid') IS NOT DISTINCT FROM '\(mark)',
                    rolcanlogin AND EXISTS (SELECT FROM pg_catalog.pg_auth_members m
                        WHERE m.member = r.oid AND m.roleid = to_regrole('\(reader)'))
                FROM pg_catalog.pg_roles r WHERE rolname = $1
                """, parameters)
            guard rows.count > 0 else { return nil }
            guard rows.bool(0, 0) else { return .notOurs }
            return rows.bool(0, 1) ? .whole : .halfDropped
        } catch {
            throw .database(error)
        }
    }
}
