import Analytics

extension Examination {
    /// The roles of analysts; empty if there are none.
    static func analysts(_ database: DatabaseFacts, _ facts: Facts) -> [Finding] {
        let analysts = database.analysts
        guard let first = analysts.names.first else { return [] }
        var findings: [Finding] = []
        if let name = analysts.incomplete.first {
            findings.append(
                .not(
                    .warning, .database, "analysts dropped halfway", some(analysts.incomplete),
                    why: "They can't log in or can't read anything, and their names are taken.",
                    fix: "sluice analyst drop \(name)   # or: sluice analyst create \(name)"))
        }
        if analysts.readNothing {
            findings.append(
                .not(
                    .warning, .database, "analysts' rights",
                    "\(Analysts.reader) may not read all views of analytics",
                    why: "Queries of analysts fail. A member of a role can remove its default "
                        + "privileges for later views: DROP OWNED BY \(Analysts.reader).",
                    fix: "SELECT sluice.grant_reader('\(Analysts.reader)');"))
        }
        if let name = analysts.unlimited.first {
            findings.append(
                .not(
                    facts.isPrivate ? .notice : .warning, .database, "analysts' limits",
                    "changed for \(some(analysts.unlimited))",
                    why: "A role may change its own settings, and PostgreSQL can't forbid it. Long "
                        + "queries and idle transactions hold back vacuum and migrations."
                        + (facts.isPrivate ? " A running server restores them." : ""),
                    fix: "ALTER ROLE \(name) SET statement_timeout = '5min';",
                    "ALTER ROLE \(name) SET idle_in_transaction_session_timeout = '5min';",
                    "ALTER ROLE \(name) SET lock_timeout = '10s';"))
        }
        if database.citus != nil {
            findings.append(
                .not(
                    .notice, .database, "analysts' passwords",
                    "the nodes need those of \(some(analysts.names))",
                    why: "The nodes log in to each other as the analyst who queries. Without the "
                        + "password every query fails. This can't be checked from here.",
                    fix:
                        "\(Analysts.passwordLine(of: first))   # in .pgpass of the system user that runs "
                        + "PostgreSQL, on every node"))
        }
        if findings.isEmpty {
            findings.append(.ok(.database, "analysts", "\(analysts.names.count)"))
        }
        return findings
    }
}
