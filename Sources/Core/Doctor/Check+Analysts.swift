import Analysts
import Postgres

extension Check {
    /// The roles of analysts; nothing if there are none.
    static let analysts = Check(
        .database, "analysts", needsTables: true,
        asks: { (facts, interview) throws(PostgresError) in try facts.askAnalysts(interview) },
        finds: verdicts)

    private static func verdicts(_ database: DatabaseFacts, _ facts: Facts) -> [Verdict] {
        let analysts = database.analysts
        guard let first = analysts.names.first else { return [] }
        var verdicts: [Verdict] = []
        if let name = analysts.incomplete.first {
            verdicts.append(
                .warning(
                    some(analysts.incomplete),
                    why: "They can't log in or can't read anything, and their names are taken.",
                    fix: "sluice analyst drop \(name)   # or: sluice analyst create \(name)"
                ).named("analysts dropped halfway"))
        }
        if analysts.readNothing {
            verdicts.append(
                .warning(
                    "\(Analysts.reader) may not read all views of analytics",
                    why: "Queries of analysts fail. A member of a role can remove its default "
                        + "privileges for later views: DROP OWNED BY \(Analysts.reader).",
                    fix: "SELECT sluice.grant_reader('\(Analysts.reader)');"
                ).named("analysts' rights"))
        }
        if let name = analysts.unlimited.first {
            verdicts.append(
                .fault(
                    facts.isPrivate ? .notice : .warning, "changed for \(some(analysts.unlimited))",
                    why: "A role may change its own settings, and PostgreSQL can't forbid it. Long "
                        + "queries and idle transactions hold back vacuum and migrations."
                        + (facts.isPrivate ? " A running server restores them." : ""),
                    fix: "ALTER ROLE \(name) SET statement_timeout = '5min';",
                    "ALTER ROLE \(name) SET idle_in_transaction_session_timeout = '5min';",
                    "ALTER ROLE \(name) SET lock_timeout = '10s';"
                ).named("analysts' limits"))
        }
        if database.citus != nil {
            verdicts.append(
                .notice(
                    "the nodes need those of \(some(analysts.names))",
                    why: "The nodes log in to each other as the analyst who queries. Without the "
                        + "password every query fails. This can't be checked from here.",
                    fix:
                        "\(Analysts.passwordLine(of: first))   # in .pgpass of the system user that runs "
                        + "PostgreSQL, on every node"
                ).named("analysts' passwords"))
        }
        if verdicts.isEmpty {
            verdicts.append(.ok("\(analysts.names.count)"))
        }
        return verdicts
    }
}
