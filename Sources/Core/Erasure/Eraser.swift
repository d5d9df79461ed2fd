public import Postgres
import Schema

/// One run of an erasure, on one connection.
///
/// Not thread-safe; calls block.
public struct Eraser {
    /// Removes a content that no row names any more.
    ///
    /// - Returns: false if it is too new; the server's sweep will remove it.
    public typealias FileRemoval = (ErasedObject) throws -> Bool
    /// Removes devices from the files of archived days.
    public typealias ArchiveRemoval = (Set<Int64>) throws -> ArchiveCount

    let connection: Connection
    let user: String
    let limits: ErasureLimits
    let progress: (String) -> Void
    var report: ErasureReport
    /// Rows removed in the current pass.
    var rowsOfPass = 0
    /// Contents that some row still named when they were checked: a row of another user, or one of
    /// this user that the same run removes later.
    var sharedObjects: Set<String> = []
    /// Contents that the store could not remove.
    var fileFailures = 0
    /// Day tables from which rows were removed, for VACUUM.
    var touchedDays: Set<String> = []

    private init(
        _ user: String, on connection: Connection, _ limits: ErasureLimits, isDryRun: Bool,
        _ progress: @escaping (String) -> Void
    ) {
        self.connection = connection
        self.user = user
        self.limits = limits
        self.progress = progress
        report = ErasureReport(isDryRun: isDryRun)
    }

    // MARK: Looking

    /// Counts the rows that an erasure would remove; changes nothing.
    ///
    /// - Parameters:
    ///   - user: exactly as the app or the device sends it.
    /// - connection: to a database with this binary's schema.
    /// - isOld: whether a content could be removed at once if no row named it.
    /// - progress: receives the name of each table before it is counted.
    public static func survey(
        _ user: String, on connection: Connection, limits: ErasureLimits = ErasureLimits(),
        isOld: (ErasedObject) throws -> Bool = { _ in true },
        progress: @escaping (String) -> Void = { _ in }
    ) throws -> ErasureReport {
        var eraser = Eraser(user, on: connection, limits, isDryRun: true, progress)
        try eraser.survey(isOld)
        return eraser.report
    }

    private mutating func survey(_ isOld: (ErasedObject) throws -> Bool) throws {
        let devices = try devices()
        report.devices = devices.count
        for table in Schema.tables where table.isErased {
            let name = table.qualifiedName
            progress(name)
            startStatement()
            switch table.owner {
            case .user(let condition): try count(name, where: condition)
            case .capture, .journalFile: try count(name, where: "r.user_id = $1")
            case .mediaFile: try countFiles(isOld)
            case .thumbnail:
                try count(
                    name,
                    where: "r.file_id in (select f.file_id from sluice.journal_file f "
                        + "where f.user_id = $1)")
            case .quarantined:
                try count(name, where: "r.user_id = $1")
                for chunk in devices.chunks(of: limits.deviceBatch) { try count(table, of: chunk) }
            case .day, .device, .deviceKeys:
                for chunk in devices.chunks(of: limits.deviceBatch) { try count(table, of: chunk) }
            case .nobody: break
            }
        }
        report.isComplete = report.rows == 0
    }

    // MARK: Removing

    /// Removes everything, in as many passes as needed.
    ///
    /// - Parameters:
    ///   - user: exactly as the app or the device sends it.
    /// - connection: to a database with this binary's schema.
    /// - vacuums: runs VACUUM afterwards on the tables from which rows were removed.
    /// - removeFile: called outside transactions, for contents that no row names.
    /// - removeArchived: called outside transactions. If a file is unavailable, the rows of the
    ///   devices stay, without readings, so that a later run can find them.
    public static func erase(
        _ user: String, on connection: Connection, limits: ErasureLimits = ErasureLimits(),
        vacuums: Bool = false, removeFile: FileRemoval,
        removeArchived: ArchiveRemoval = { _ in ArchiveCount() },
        progress: @escaping (String) -> Void = { _ in }
    ) throws -> ErasureReport {
        var eraser = Eraser(user, on: connection, limits, isDryRun: false, progress)
        eraser.startStatement()
        // No trace of deleted entries is kept, as it is when a user deletes one.
        // A locked table is refused, and so named, before the statement's deadline closes the
        // connection.
        try connection.execute(
            "SET sluice.forgets = 'on'; SET lock_timeout = '\(limits.statementMax / 2 / .milliseconds(1))ms'"
        )
        defer { _ = try? connection.execute("RESET sluice.forgets; RESET lock_timeout") }
        let number = try connection.query(
            "select sluice.begin_erasure($1)", eraser.userParameter
        ).int64(0, 0)
        eraser.report.number = number
        while !eraser.report.isComplete, eraser.report.passes < limits.passesMax,
            eraser.report.archives.failures.isEmpty, eraser.report.failures.isEmpty
        {
            try eraser.runPass(removeFile, removeArchived)
            try eraser.note(number, isFinished: false)
        }
        if vacuums { try eraser.vacuum() }
        try eraser.note(number, isFinished: true)
        return eraser.report
    }

    private mutating func runPass(
        _ removeFile: FileRemoval, _ removeArchived: ArchiveRemoval
    ) throws {
        rowsOfPass = 0
        report.devicesLeft = 0
        report.passes += 1
        var hasDoneDevices = false
        for table in Schema.tables {
            try attempt(table.qualifiedName) { eraser in
                switch table.owner {
                case .user(let condition):
                    try eraser.remove(table, where: condition, eraser.userParameter)
                case .capture: try eraser.removeCaptures(removeFile)
                case .journalFile: try eraser.removeJournalFiles(removeFile)
                case .mediaFile: try eraser.removeMediaFiles(removeFile)
                case .quarantined, .day, .device, .deviceKeys:
                    // One call removes all rows that are found through devices.
                    guard !hasDoneDevices else { return }
                    hasDoneDevices = true
                    try eraser.removeDevices(removeArchived)
                case .thumbnail, .nobody: break
                }
            }
        }
        report.isComplete =
            rowsOfPass == 0 && report.archives.failures.isEmpty && report.failures.isEmpty
    }

    /// Goes on past what the database refuses, and notes it.
    mutating func attempt(_ name: String, _ work: (inout Eraser) throws -> Void) throws {
        do {
            try work(&self)
        } catch let error as PostgresError where error.kind == .refused && connection.isOpen {
            try connection.rollback()
            report.failures.append("\(name): \(error)")
        }
    }

    /// Removes rows of one table in batches.
    mutating func remove(
        _ table: Schema.Table, where condition: String, _ parameters: Parameters
    ) throws(PostgresError) {
        let (name, key) = (table.qualifiedName, table.key.joined(separator: ", "))
        progress(name)
        let sql = Self.removal(
            from: name,
            where: """
                (\(key)) in (
                    select \(key) from \(name) r where \(condition) limit \(limits.batchRows))
                """)
        var removed = 0
        repeat {
            startStatement()
            removed = gone(name, try runRemoval(sql, parameters))
        } while removed == limits.batchRows
    }

    /// A statement that removes rows and returns what ``gone(_:_:)`` reads.
    ///
    /// - Parameter condition: SQL about `d`, the table's row.
    static func removal(from table: String, where condition: String) -> String {
        """
        with gone as (delete from \(table) d where \(condition) returning d.*)
        select count(*), coalesce(sum(pg_column_size(gone.*)), 0)::bigint from gone
        """
    }

    // MARK: -

    /// - Parameter removed: the result of a ``removal(from:where:)``.
    /// - Returns: the number of removed rows.
    @discardableResult
    mutating func gone(_ table: String, _ removed: Rows) -> Int {
        let rows = Int(removed.int64(0, 0))
        gone(table, rows, bytes: Int(removed.int64(0, 1)))
        return rows
    }

    mutating func gone(_ table: String, _ rows: Int, bytes: Int) {
        report.count(table, rows: rows, bytes: bytes)
        rowsOfPass += rows
    }

    var userParameter: Parameters {
        var parameters = Parameters()
        parameters.append(text: user)
        return parameters
    }

    func startStatement() {
        connection.deadline = .now + limits.statementMax
    }

    /// Removes rows in a transaction of its own. The user may be active meanwhile, and no lock
    /// order suits every statement that locks such rows. So a statement that PostgreSQL rolls back
    /// because of a deadlock (40P01) is tried again, as transactions are.
    func runRemoval(_ sql: String, _ parameters: Parameters) throws(PostgresError) -> Rows {
        var attempt = 1
        while true {
            do throws(PostgresError) {
                return try connection.query(sql, parameters)
            } catch {
                guard connection.letsOthersPass(after: error, attempt, of: Self.attemptsMax) else {
                    throw error
                }
                attempt += 1
                startStatement()
            }
        }
    }

    /// How often a transaction is tried.
    static var attemptsMax: Int { 5 }

    /// Counts rows of a table without removing them.
    mutating func count(
        _ table: String, where condition: String, _ parameters: Parameters? = nil,
        as name: String? = nil, readings: String = "count(*)"
    ) throws(PostgresError) {
        let rows = try connection.query(
            """
            select (\(readings))::bigint, coalesce(sum(pg_column_size(r.*)), 0)::bigint
            from \(table) r where \(condition)
            """, parameters ?? userParameter)
        report.count(
            name ?? table, rows: Int(rows.int64(0, 0)), bytes: Int(rows.int64(0, 1)))
    }

    private func note(_ number: Int64, isFinished: Bool) throws(PostgresError) {
        startStatement()
        let counts = report.tables.map { "\"\($0.table)\":\($0.rows)" }
        var parameters = Parameters()
        parameters.append(int8: number)
        parameters.append(bool: isFinished)
        parameters.append(bool: report.isComplete)
        parameters.append(int4: Int32(report.passes))
        parameters.append(jsonb: "{" + counts.joined(separator: ",") + "}")
        parameters.append(int8: Int64(report.files.removed))
        parameters.append(int8: Int64(report.files.bytesRemoved))
        try connection.query(
            """
            update sluice.erasure set
                finished_at = case when $2 then now() end, is_complete = $3, passes = $4,
                rows_removed = $5, files_removed = $6, file_bytes_removed = $7
            where id = $1
            """, parameters)
    }

    /// Runs VACUUM, so that new rows can overwrite the removed ones. A packed day hardly gets new
    /// rows, so it is written anew. Tables that are locked are skipped.
    private mutating func vacuum() throws {
        let tables = report.tables.map(\.table).filter { name in
            Schema.tables.contains { $0.owner != .day && $0.qualifiedName == name }
        }
        for table in tables + touchedDays.sorted() {
            progress("vacuum \(table)")
            connection.deadline = .now + .seconds(3600)
            try attempt("vacuum of \(table)") { eraser in
                do throws(PostgresError) {
                    let isPacked = table.hasPrefix("sluice_sealed.packed_")
                    try eraser.connection.execute(
                        "vacuum (skip_locked\(isPacked ? ", full" : "")) \(table)")
                } catch {
                    // The table was detached and dropped meanwhile.
                    guard error.sqlState == "42P01" else { throw error }
                }
            }
        }
    }
}

extension Array {
    /// The array in parts of at most `count` elements.
    func chunks(of count: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: self.count, by: count).map {
            self[$0..<Swift.min($0 + count, self.count)]
        }
    }
}
