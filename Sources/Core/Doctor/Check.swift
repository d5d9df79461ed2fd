import Postgres

/// One check of `sluice doctor`, as one value: what it asks of PostgreSQL, how it judges the answer,
/// why that matters, and what to do about it.
///
/// A judgement is a function of ``Facts`` without I/O, so each check can be tested with invented
/// facts. ``all`` lists the checks in the order of the report.
struct Check: Sendable {
    /// Queries, and keeps the answer among the facts.
    typealias Question =
        @Sendable (_ facts: inout DatabaseFacts, Interview) throws(PostgresError) -> Void

    let area: Finding.Area
    /// Of its findings, unless a verdict has a name of its own.
    let name: String
    /// It is about Sluice's own tables: skipped while there are none.
    let needsTables: Bool
    /// nil: it judges what is known without.
    let question: Question?
    private let judgement: @Sendable (Facts) -> [Verdict]

    /// A check of the installation, with or without a database.
    init(
        _ area: Finding.Area, _ name: String,
        findsOfAll judgement: @escaping @Sendable (Facts) -> [Verdict]
    ) {
        self.area = area
        self.name = name
        needsTables = false
        question = nil
        self.judgement = judgement
    }

    /// A check of the database.
    init(
        _ area: Finding.Area, _ name: String, needsTables: Bool = false,
        asks question: Question? = nil,
        finds judgement: @escaping @Sendable (DatabaseFacts, Facts) -> [Verdict]
    ) {
        self.area = area
        self.name = name
        self.needsTables = needsTables
        self.question = question
        self.judgement = { facts in
            guard case .reached(let database) = facts.database,
                !needsTables || database.schemaVersion != nil
            else { return [] }
            return judgement(database, facts)
        }
    }

    /// A check of the database with one finding at most.
    init(
        _ area: Finding.Area, _ name: String, needsTables: Bool = false,
        asks question: Question? = nil,
        judges judgement: @escaping @Sendable (DatabaseFacts, Facts) -> Verdict?
    ) {
        self.init(
            area, name, needsTables: needsTables, asks: question,
            finds: { database, facts in
                judgement(database, facts).map { [$0] } ?? []
            })
    }

    /// What it finds, with its area and name.
    func findings(_ facts: Facts) -> [Finding] {
        judgement(facts).map {
            Finding(
                area: area, name: $0.name ?? name, severity: $0.severity, found: $0.found,
                reason: $0.reason, fix: $0.fix)
        }
    }

    /// In the order of the report, as far as areas don't decide it.
    static let all: [Check] =
        database + citus + [analysts] + safety + speed + tables + [alterations] + work
        + [retention, retentionClock] + machine + [disks, certificate, privateKey, spool] + keys
}
