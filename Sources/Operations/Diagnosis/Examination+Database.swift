import Postgres

extension Examination {
    /// Whether the database can be reached.
    static func reach(_ facts: Facts) -> [Finding] {
        switch facts.database {
        case .notMade:
            return [
                .not(
                    .notice, .database, "reachable", "there is no private cluster yet",
                    why: "The server creates it when it first starts.",
                    fix: "sluice serve")
            ]
        case .programsMissing(let version):
            return [
                .not(
                    .problem, .database, "reachable",
                    version.map { "PostgreSQL \($0), which made the private cluster, is missing" }
                        ?? "there is no PostgreSQL for a private cluster",
                    why: "The server does not start.",
                    fix: "apt-get install postgresql\(version.map { "-\($0)" } ?? "")",
                    "or SLUICE_POSTGRES_BIN=…, the directory of initdb and postgres",
                    "or DATABASE_URL=…, a server that runs elsewhere")
            ]
        case .unreachable(let reason):
            let fix =
                facts.isPrivate
                ? "sluice serve   # or read SLUICE_DATA_DIR/postgres/log"
                : "psql \"$DATABASE_URL\"   # until it connects: host, port, password, pg_hba.conf"
            return [
                .not(
                    .problem, .database, "reachable", reason,
                    why: "Batches go to the spool, and are refused when it is full. Checks that "
                        + "need the database were skipped.", fix: fix)
            ]
        case .eraRefused(let reason):
            return [
                .not(
                    .problem, .database, "era", reason,
                    why: "Batches go to the spool, and are refused when it is full. Checks that "
                        + "need the database were skipped.",
                    fix: "sluice era show   # compares each host with what is known")
            ]
        case .sessionsShared(let reason):
            return [
                .not(
                    .problem, .database, "pooler", reason,
                    why:
                        "Settings, prepared statements and LISTEN do not last there, so nothing is "
                        + "stored. Checks that need the database were skipped.",
                    fix: "pool_mode = session   # in pgbouncer.ini, for this database and user")
            ]
        case .reached(let database):
            var findings: [Finding] = [
                .ok(
                    .database, "reachable",
                    "\(database.name) as \(database.role)"
                        + (facts.isPrivate ? " in the private cluster" : ""))
            ]
            if facts.wasStarted {
                findings.append(
                    .not(
                        .notice, .database, "running", "no server is running",
                        why:
                            "The private cluster was started for these checks and stopped again.",
                        fix: "sluice serve"))
            }
            if database.isPooled {
                findings.append(.ok(.database, "pooler", "in session mode"))
            }
            return findings
        }
    }

    /// Version, schema, rights, connection and clock.
    static func access(_ database: DatabaseFacts, _ facts: Facts) -> [Finding] {
        [version(database), schema(database)] + rights(database)
            + [standby(database), encryption(database), clock(database)].compactMap { $0 }
    }

    private static func version(_ database: DatabaseFacts) -> Finding {
        let text = "\(database.version / 10_000).\(database.version % 10_000)"
        if database.version < Int(Postgres.serverVersionMin) {
            return .not(
                .problem, .database, "version", text,
                why: "The server does not start on a PostgreSQL older than "
                    + "\(Postgres.serverVersionMin / 10_000).",
                fix: "pg_upgrade to PostgreSQL 15 or later")
        }
        if database.version / 10_000 != Diagnosis.versionTested {
            return .not(
                .notice, .database, "version", text,
                why:
                    "It should work, but Sluice's tests run on PostgreSQL \(Diagnosis.versionTested).",
                fix: "try it with a copy first, or use PostgreSQL \(Diagnosis.versionTested)")
        }
        return .ok(.database, "version", text)
    }

    private static func schema(_ database: DatabaseFacts) -> Finding {
        let binary = database.binaryVersion
        guard let version = database.schemaVersion else {
            return .not(
                .notice, .database, "schema", "none yet",
                why: "The server creates the tables when it first starts.",
                fix: "sluice migrate")
        }
        if version > binary, database.toleratesSchema {
            return .not(
                .notice, .database, "schema", "version \(version), this binary knows \(binary)",
                why: "A newer sluice migrated this database. This version can still write to it.",
                fix: "use the newer sluice on all nodes when convenient")
        }
        if version > binary {
            return .not(
                .problem, .database, "schema", "version \(version), this binary knows \(binary)",
                why: "A newer sluice migrated this database. This version refuses to write to it.",
                fix: "use the newer sluice")
        }
        if version < binary {
            return .not(
                .warning, .database, "schema", "version \(version), this binary needs \(binary)",
                why: "The server migrates when it starts; until then this binary refuses to write.",
                fix: "sluice migrate")
        }
        return .ok(.database, "schema", "version \(version)")
    }

    private static func rights(_ database: DatabaseFacts) -> [Finding] {
        let role = database.role
        var findings: [Finding] = []
        if database.ownsSchema == false {
            findings.append(
                .not(
                    .problem, .database, "owner", "\(role) does not own the schema sluice",
                    why: "It can't create partitions for new days, and can't migrate.",
                    fix: "GRANT owner_of_the_schema TO \(role);"))
        }
        if !database.createsSchemas, database.schemaVersion == nil {
            findings.append(
                .not(
                    .problem, .database, "rights", "\(role) may not create schemas",
                    why: "The first start fails at its first migration.",
                    fix: "GRANT CREATE ON DATABASE \(database.name) TO \(role);"))
        }
        if !database.createsRoles, !database.isSuperuser {
            findings.append(
                .not(
                    .notice, .database, "roles", "\(role) may not create roles",
                    why: "Another role must create the roles of analysts.",
                    fix: "ALTER ROLE \(role) CREATEROLE;"))
        }
        if !database.monitors, !database.isSuperuser {
            findings.append(
                .not(
                    .notice, .database, "monitoring", "\(role) is not a member of pg_monitor",
                    why: "The sessions of other roles and the data directory can't be examined.",
                    fix: "GRANT pg_monitor TO \(role);"))
        }
        if findings.isEmpty { findings.append(.ok(.database, "rights", "sufficient")) }
        return findings
    }

    private static func standby(_ database: DatabaseFacts) -> Finding? {
        guard database.isStandby else { return nil }
        return .not(
            .problem, .database, "standby", "the server is a standby",
            why: "Nothing can be written to it.",
            fix: "DATABASE_URL=postgresql://primary,standby/…?target_session_attrs=read-write")
    }

    private static func encryption(_ database: DatabaseFacts) -> Finding? {
        guard database.isRemote else { return nil }
        if database.isEncrypted { return .ok(.database, "encryption", "TLS") }
        return .not(
            .warning, .database, "encryption", "none, over a network",
            why: "Anyone on the network path can read and change what devices send.",
            fix: "DATABASE_URL=postgresql://…?sslmode=verify-full&sslrootcert=…")
    }

    private static func clock(_ database: DatabaseFacts) -> Finding? {
        guard let skew = database.clockSkewSeconds else { return nil }
        let text = "\(Figures.seconds(abs(skew))) \(skew < 0 ? "behind" : "ahead of") this machine"
        let beyond = abs(skew) - database.clockErrorSeconds
        if beyond > 30 {
            return .not(
                .problem, .database, "clock", text,
                why:
                    "Job leases and the days of partitions use the database's clock, the times that a "
                    + "device may send this machine's, and key expiry both.",
                fix: "timedatectl set-ntp true   # on both machines")
        }
        if beyond > 1 {
            return .not(
                .warning, .database, "clock", text,
                why: "Times of arrival and of storage can't be compared.",
                fix: "timedatectl set-ntp true   # on both machines")
        }
        return .ok(.database, "clock", text)
    }
}
