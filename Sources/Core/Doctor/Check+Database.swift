import Postgres

/// Whether the database can be reached; version, schema, rights, connection and clock.
extension Check {
    static let database = [
        reachable, running, version, schema, owner, rights, roles, monitoring, sufficient, standby,
        encryption, clock,
    ]

    private static let skipped = "Checks that need the database were skipped."

    private static let reachable = Check(.database, "reachable") { facts in
        switch facts.database {
        case .notMade:
            return [
                .notice(
                    "there is no private cluster yet",
                    why: "The server creates it when it first starts.", fix: "sluice serve")
            ]
        case .programsMissing(let version):
            return [
                .problem(
                    version.map { "PostgreSQL \($0), which made the private cluster, is missing" }
                        ?? "there is no PostgreSQL for a private cluster",
                    why: "The server does not start.",
                    fix: "apt-get install postgresql\(version.map { "-\($0)" } ?? "")",
                    "or SLUICE_POSTGRES_BIN=…, the directory of initdb and postgres",
                    "or SLUICE_DATABASE_URL=…, a server that runs elsewhere")
            ]
        case .unreachable(let reason):
            return [
                .problem(
                    reason,
                    why: "Batches go to the spool, and are refused when it is full. \(skipped)",
                    fix: facts.isPrivate
                        ? "sluice serve   # or read SLUICE_DATA_DIR/postgres/log"
                        : "psql \"$SLUICE_DATABASE_URL\"   # until it connects: host, port, password, "
                            + "pg_hba.conf")
            ]
        case .epochRefused(let reason):
            return [
                .problem(
                    reason,
                    why: "Batches go to the spool, and are refused when it is full. \(skipped)",
                    fix: "sluice epoch show   # compares each host with what is known"
                ).named("epoch")
            ]
        case .sessionsShared(let reason):
            return [
                .problem(
                    reason,
                    why: "Settings, prepared statements and LISTEN do not last there, so nothing "
                        + "is stored. \(skipped)",
                    fix: "pool_mode = session   # in pgbouncer.ini, for this database and user"
                ).named("pooler")
            ]
        case .reached(let database):
            return [
                .ok(
                    "\(database.name) as \(database.role)"
                        + (facts.isPrivate ? " in the private cluster" : ""))
            ]
        }
    }

    private static let running = Check(
        .database, "running",
        finds: { database, facts in
            var verdicts: [Verdict] = []
            if facts.wasStarted {
                verdicts.append(
                    .notice(
                        "no server is running",
                        why: "The private cluster was started for these checks and stopped again.",
                        fix: "sluice serve"))
            }
            if database.isPooled { verdicts.append(.ok("in session mode").named("pooler")) }
            return verdicts
        })

    private static let version = Check(
        .database, "version",
        judges: { database, _ in
            let text = "\(database.version / 10_000).\(database.version % 10_000)"
            if database.version < Int(Postgres.serverVersionMin) {
                return .problem(
                    text,
                    why: "The server does not start on a PostgreSQL older than "
                        + "\(Postgres.serverVersionMin / 10_000).",
                    fix: "pg_upgrade to PostgreSQL 15 or later")
            }
            let tested = Diagnosis.versionTested
            if database.version / 10_000 != tested {
                return .notice(
                    text,
                    why: "It should work, but Sluice's tests run on PostgreSQL \(tested).",
                    fix: "try it with a copy first, or use PostgreSQL \(tested)")
            }
            return .ok(text)
        })

    private static let schema = Check(
        .database, "schema",
        judges: { database, _ in
            let binary = database.binaryVersion
            guard let version = database.schemaVersion else {
                return .notice(
                    "none yet", why: "The server creates the tables when it first starts.",
                    fix: "sluice migrate")
            }
            if version > binary, database.toleratesSchema {
                return .notice(
                    "version \(version), this binary knows \(binary)",
                    why: "A newer sluice migrated this database. This version can still write to "
                        + "it.", fix: "use the newer sluice on all nodes when convenient")
            }
            if version > binary {
                return .problem(
                    "version \(version), this binary knows \(binary)",
                    why: "A newer sluice migrated this database. This version refuses to write to "
                        + "it.", fix: "use the newer sluice")
            }
            if version < binary {
                return .warning(
                    "version \(version), this binary needs \(binary)",
                    why: "The server migrates when it starts; until then this binary refuses to "
                        + "write.", fix: "sluice migrate")
            }
            return .ok("version \(version)")
        })

    private static let owner = Check(
        .database, "owner",
        judges: { database, _ in
            guard database.ownsSchema == false else { return nil }
            return .problem(
                "\(database.role) does not own the schema sluice",
                why: "It can't create partitions for new days, and can't migrate.",
                fix: "GRANT owner_of_the_schema TO \(database.role);")
        })

    private static let rights = Check(
        .database, "rights",
        judges: { database, _ in
            guard !database.createsSchemas, database.schemaVersion == nil else { return nil }
            return .problem(
                "\(database.role) may not create schemas",
                why: "The first start fails at its first migration.",
                fix: "GRANT CREATE ON DATABASE \(database.name) TO \(database.role);")
        })

    private static let roles = Check(
        .database, "roles",
        judges: { database, _ in
            guard !database.createsRoles, !database.isSuperuser else { return nil }
            return .notice(
                "\(database.role) may not create roles",
                why: "Another role must create the roles of analysts.",
                fix: "ALTER ROLE \(database.role) CREATEROLE;")
        })

    private static let monitoring = Check(
        .database, "monitoring",
        judges: { database, _ in
            guard !database.monitors, !database.isSuperuser else { return nil }
            return .notice(
                "\(database.role) is not a member of pg_monitor",
                why: "The sessions of other roles and the data directory can't be examined.",
                fix: "GRANT pg_monitor TO \(database.role);")
        })

    /// None of the four above has found anything.
    private static let sufficient = Check(
        .database, "rights",
        judges: { _, facts in
            let isFaulty = [owner, rights, roles, monitoring].contains {
                !$0.findings(facts).isEmpty
            }
            return isFaulty ? nil : .ok("sufficient")
        })

    private static let standby = Check(
        .database, "standby",
        judges: { database, _ in
            guard database.isStandby else { return nil }
            return .problem(
                "the server is a standby", why: "Nothing can be written to it.",
                fix:
                    "SLUICE_DATABASE_URL=postgresql://primary,standby/…?target_session_attrs=read-write"
            )
        })

    private static let encryption = Check(
        .database, "encryption",
        judges: { database, _ in
            guard database.isRemote else { return nil }
            if database.isEncrypted { return .ok("TLS") }
            return .warning(
                "none, over a network",
                why: "Anyone on the network path can read and change what devices send.",
                fix: "SLUICE_DATABASE_URL=postgresql://…?sslmode=verify-full&sslrootcert=…")
        })

    private static let clock = Check(
        .database, "clock",
        asks: { (facts, interview) throws(PostgresError) in
            try facts.askClock(interview.connection)
        },
        judges: { database, _ in
            guard let skew = database.clockSkewSeconds else { return nil }
            let text =
                "\(Figures.seconds(abs(skew))) \(skew < 0 ? "behind" : "ahead of") this machine"
            let beyond = abs(skew) - database.clockErrorSeconds
            let fix = "timedatectl set-ntp true   # on both machines"
            if beyond > 30 {
                return .problem(
                    text,
                    why: "Job leases and the days of partitions use the database's clock, the "
                        + "times that a device may send this machine's, and key expiry both.",
                    fix: fix)
            }
            if beyond > 1 {
                return .warning(
                    text, why: "Times of arrival and of storage can't be compared.", fix: fix)
            }
            return .ok(text)
        })
}
