/// From facts to findings.
public enum Examination {
    /// All findings, in the order of their areas.
    public static func findings(_ facts: Facts) -> [Finding] {
        var findings = reach(facts)
        if case .reached(let database) = facts.database {
            findings += access(database, facts)
            findings += cluster(database, facts)
            findings += safety(database, facts)
            findings += speed(database, facts)
            findings += tables(database)
            findings += work(database.work)
        }
        findings += retention(facts)
        findings += machine(facts)
        findings += facts.disks.flatMap { disk($0, facts) }
        findings += certificate(facts)
        findings += spool(facts)
        findings += keys(facts)
        let places = Dictionary(
            uniqueKeysWithValues: Finding.Area.allCases.enumerated().map { ($1, $0) })
        // Stable: within an area as above.
        return findings.enumerated().sorted {
            (places[$0.element.area] ?? 0, $0.offset) < (places[$1.element.area] ?? 0, $1.offset)
        }.map(\.element)
    }

    /// `sluice doctor`'s exit code: 0 for nothing beyond notices, 1 for warnings, 2 for problems.
    public static func exitCode(_ findings: [Finding]) -> Int32 {
        switch findings.map(\.severity).max() ?? .ok {
        case .ok, .notice: 0
        case .warning: 1
        case .problem: 2
        }
    }
}

/// What the configuration asks for.
public struct Demand: Sendable {
    /// Connections to PostgreSQL of one server.
    public var databaseConnections = 20
    /// Open files: clients' connections, and some.
    public var openFiles = 1000
    /// Memory that one server may take at the most.
    public var memoryBytes = 0
    /// What the kernel is to hold of connections that are not accepted yet.
    public var backlog = 0
    /// What the spool may take; 0: there is to be none.
    public var spoolBytesMax = 0
    /// What the spool leaves free.
    public var spoolFreeBytesMin = 0

    /// Lanes that write rows, where their number is given; nil: as many as are needed.
    public var rowLanes: Int?
    /// On Citus, lanes are connected to the nodes themselves.
    public var lanesGoToNodes = true

    /// Nothing much.
    public init() {}
}

extension Examination {
    /// Days that are to leave.
    static func retention(_ facts: Facts) -> [Finding] {
        let retention = facts.retention
        guard retention.days > 0 else { return [.ok(.tables, "retention", "readings stay")] }
        let after = "after \(retention.days) days"
        var findings: [Finding] = []
        switch retention.destination {
        case .directory(let path, isThere: true):
            findings.append(.ok(.tables, "retention", "\(after) into \(path)"))
        case .directory(let path, isThere: false):
            findings.append(
                .not(
                    .problem, .tables, "retention", "\(path) is not there",
                    why: "No day leaves the tables until it is. It is not made, lest days are "
                        + "written beside a disk that is not mounted.",
                    fix: "mount it, or: mkdir -m 700 \(path)   # and chown it to who runs sluice"))
        case .nowhere:
            findings.append(
                .not(
                    .notice, .tables, "retention", "\(after), for good",
                    why: "SLUICE_ARCHIVE_DIRECTORY is none: a day that leaves is in no file, and "
                        + "can't be brought back.",
                    fix: "SLUICE_ARCHIVE_DIRECTORY=…   # a directory, to keep them"))
        }
        guard case .reached(let database) = facts.database,
            let quiet = database.tables.quietSeconds, quiet > retention.quietDaysMax * 86_400
        else { return findings }
        findings.append(
            .not(
                .warning, .tables, "retention, clock",
                "the newest reading is \(Figures.seconds(Double(quiet))) old",
                why: "Days leave only while readings come, for a clock that is far ahead would "
                    + "make every day an old one. So the last days stay.",
                fix: "date; sluice psql -c 'select now()'   # and if both are right:",
                "sluice archive run --trust-clock"))
        return findings
    }
}
