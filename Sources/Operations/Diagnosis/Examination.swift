/// The rules that derive findings from facts.
public enum Examination {
    /// All findings, ordered by area.
    public static func findings(_ facts: Facts) -> [Finding] {
        var findings = reach(facts)
        if case .reached(let database) = facts.database {
            findings += access(database, facts)
            findings += cluster(database, facts)
            findings += analysts(database, facts)
            findings += safety(database, facts)
            findings += speed(database, facts)
            findings += tables(database)
            findings += alterations(database)
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
        // The sort is stable: within an area the findings keep the order above.
        return findings.enumerated().sorted {
            (places[$0.element.area] ?? 0, $0.offset) < (places[$1.element.area] ?? 0, $1.offset)
        }.map(\.element)
    }

    /// `sluice doctor`'s exit code: 0 if there are at most notices, 1 for warnings, 2 for problems.
    public static func exitCode(_ findings: [Finding]) -> Int32 {
        switch findings.map(\.severity).max() ?? .ok {
        case .ok, .notice: 0
        case .warning: 1
        case .problem: 2
        }
    }
}

/// What the configuration requires.
public struct Demand: Sendable {
    /// Maximum number of PostgreSQL connections of one server.
    public var databaseConnections = 20
    /// Maximum number of open files: clients' connections and a reserve.
    public var openFiles = 1000
    /// The limits that the server lowers because it may not open as many files, each with its value
    /// and its configured value.
    public var loweredLimits: [String] = []
    /// Open files without which the server does not start; nil: it has them.
    public var openFilesMin: Int?
    /// Maximum memory of one server; 0: unknown.
    public var memoryBytes = 0
    /// Length of the queue of connections that are not accepted yet; 0: unknown.
    public var backlog = 0
    /// Maximum size of the spool; 0: it is switched off.
    public var spoolBytesMax = 0
    /// Disk space that the spool leaves free.
    public var spoolFreeBytesMin = 0

    /// The configured number of lanes for rows; nil: chosen automatically.
    public var rowLanes: Int?
    /// On Citus, lanes connect to the nodes directly.
    public var lanesGoToNodes = true

    /// Requirements of a small server.
    public init() {}
}

extension Examination {
    /// Days that leave the tables.
    static func retention(_ facts: Facts) -> [Finding] {
        let retention = facts.retention
        guard retention.days > 0 else { return [.ok(.tables, "retention", "readings are kept")] }
        let after = "after \(retention.days) days"
        var findings: [Finding] = []
        switch retention.destination {
        case .directory(let path, isThere: true):
            findings.append(.ok(.tables, "retention", "archived \(after) to \(path)"))
        case .directory(let path, isThere: false):
            findings.append(
                .not(
                    .problem, .tables, "retention", "\(path) does not exist",
                    why: "Days stay in the tables until it exists. Sluice does not create it: if "
                        + "the disk is not mounted, files would go to the wrong one.",
                    fix: "mount it, or: mkdir -m 700 \(path)   # owned by the user of sluice"))
        case .nowhere:
            findings.append(
                .not(
                    .notice, .tables, "retention", "dropped \(after)",
                    why: "SLUICE_ARCHIVE_DIRECTORY is none: dropped days are not archived, and "
                        + "can't be restored.",
                    fix: "SLUICE_ARCHIVE_DIRECTORY=…   # a directory, to archive them"))
        }
        guard case .reached(let database) = facts.database,
            let quiet = database.tables.quietSeconds, quiet > retention.quietDaysMax * 86_400
        else { return findings }
        findings.append(
            .not(
                .warning, .tables, "retention, clock",
                "the newest reading is \(Figures.seconds(Double(quiet))) old",
                why: "Days leave the tables only while readings arrive, because with a clock far "
                    + "ahead every day would look old. So the last days stay.",
                fix: "date; sluice psql -c 'select now()'   # and if both are right:",
                "sluice archive run --trust-clock"))
        return findings
    }
}
