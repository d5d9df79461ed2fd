import Postgres
import Readings

/// Restores days: into their table, or into another schema to inspect them.
///
/// A file is read and checked whole before its first row is copied. A missing partition is filled
/// as a separate table. Its rows, its attachment and the note that it is restored are one
/// transaction, so the call can be interrupted and repeated without duplicates or partial days.
public struct Restoration {
    /// The result for one part.
    public enum Outcome: Equatable, Sendable {
        /// Its rows are restored now.
        case restored(rows: Int)
        /// It had not left completely, and is back.
        case putBack
        /// It was there already.
        case wasThere
        /// It was dropped without a file.
        case withoutFile(rows: Int)
    }

    private let session: ArchiveSession
    private let archive: Archive?
    private let progress: (DayPartition, Int) -> Void

    private static let attachWaitMax: Duration = .seconds(60)

    private var connection: Connection { session.connection }

    /// - Parameters:
    ///   - archive: has the files; nil if none is configured.
    ///   - progress: called now and then with the number of a day's rows that were copied.
    public init(
        _ session: ArchiveSession, _ archive: Archive?,
        progress: @escaping (DayPartition, Int) -> Void = { _, _ in }
    ) {
        self.session = session
        self.archive = archive
        self.progress = progress
    }

    /// Restores one part into its table.
    ///
    /// - Parameter keep: how long it stays there, however old it is.
    /// - Throws: ``ArchiveError`` if the file is damaged; then nothing was copied.
    public func restore(_ part: ArchivedPart, keep: Duration) throws -> Outcome {
        switch part.state {
        case .restored, .replaced: return .wasThere
        case .leaving, .detached:
            try PuttingBack(session).putBack(part, keep: keep)
            return .putBack
        case .gone: break
        }
        let rows = part.rows ?? 0
        if part.file == nil, rows > 0 { return .withoutFile(rows: rows) }
        let source = try part.file.map { try verified(part, $0) }
        try Sealing(session).makeLive(part.partition)
        try transaction {
            var parameters = ArchiveCatalog.key(of: part)
            parameters.append(int8: keep.components.seconds)
            try session.expect(ArchiveSession.quick)
            let noted = try connection.query(
                """
                UPDATE sluice.archive
                SET state = 'restored', changed_at = now(),
                    keep_until = now() + $4 * interval '1 second'
                WHERE kind = $1 AND day = $2 AND part = $3 AND state = 'gone'
                """, parameters)
            guard noted.affectedCount == 1 else { throw ArchiveError.busy }
            let table = "sluice_partitions.\(ArchiveCatalog.quoted(part.partition.name))"
            let key = ArchiveCatalog.key(of: part.partition)
            let isApart = try connection.query("SELECT sluice.make_room($1, $2)", key).bool(0, 0)
            if let source { try copy(part, source, into: table) }
            // Attached last: until then other sessions do not see the day, and no lock blocks
            // them.
            if isApart {
                try session.expect(ArchiveSession.long, lockWait: Self.attachWaitMax)
                try connection.query("SELECT sluice.attach_room($1, $2)", key)
            }
        }
        try session.expect(ArchiveSession.long)
        try session.analyze(part.partition)
        return .restored(rows: rows)
    }

    /// Copies one part into a separate table of another schema, which is created if it is missing.
    /// The day stays out.
    public func copy(_ part: ArchivedPart, intoSchema schema: String) throws -> Outcome {
        guard let file = part.file else { return .withoutFile(rows: part.rows ?? 0) }
        let source = try verified(part, file)
        let name = part.partition.name + (part.part > 1 ? "_\(part.part)" : "")
        let table = "\(ArchiveCatalog.quoted(schema)).\(ArchiveCatalog.quoted(name))"
        var parameters = Parameters()
        parameters.append(text: table)
        try session.expect(ArchiveSession.quick)
        if try connection.query("SELECT to_regclass($1) IS NOT NULL", parameters).bool(0, 0) {
            return .wasThere
        }
        try transaction {
            try session.expect(ArchiveSession.quick)
            try connection.execute(
                """
                CREATE SCHEMA IF NOT EXISTS \(ArchiveCatalog.quoted(schema));
                CREATE TABLE \(table) (LIKE sluice.\(part.partition.kind.rawValue)
                    INCLUDING STORAGE INCLUDING COMPRESSION INCLUDING COMMENTS INCLUDING INDEXES);
                ALTER TABLE \(table) REPLICA IDENTITY FULL;
                COMMENT ON TABLE \(table) IS '\(DayTable.copyMark) \(part.partition.name)'
                """)
            try copy(part, source, into: table)
        }
        return .restored(rows: source.manifest.rows)
    }

    // MARK: -

    private struct Source {
        let name: String
        let store: any ArchiveStore
        let form: ArchiveForm
        let manifest: Manifest
    }

    /// Reads and checks the whole file.
    private func verified(_ part: ArchivedPart, _ file: String) throws -> Source {
        guard let archive else { throw ArchiveError.directoryMissing }
        let manifest = try ArchiveVerification(archive).verify(part)
        return Source(
            name: file, store: archive.store, form: Archive.form(of: file), manifest: manifest)
    }

    private func copy(_ part: ArchivedPart, _ source: Source, into table: String) throws {
        if source.form.isCSV { return try copyCSV(part, source, into: table) }
        guard source.manifest.columns.contains("minute") else {
            return try copyRows(part, source, into: table)
        }
        // An old file with sums of minutes instead of hours.
        try connection.execute(
            """
            CREATE TEMPORARY TABLE minutes (
                device_key bigint, minute timestamptz, readings integer, metres double precision,
                code smallint, low double precision, high double precision,
                total double precision, last_t timestamptz, last_val double precision,
                codes smallint[], sums double precision[]
            ) ON COMMIT DROP
            """)
        try copyRows(part, source, into: "pg_temp.minutes")
        var parameters = Parameters()
        parameters.append(text: part.partition.kind.rawValue)
        parameters.append(text: table)
        try session.expect(ArchiveSession.long)
        try connection.query("SELECT sluice.fold_minutes('pg_temp.minutes', $1, $2)", parameters)
    }

    /// The file has columns that the table has not.
    private func copyCSV(_ part: ArchivedPart, _ source: Source, into table: String) throws {
        let ofDevice = TableCopy.ofDevice.map { "\($0) text" }.joined(separator: ", ")
        try connection.execute(
            "CREATE TEMPORARY TABLE archived (LIKE \(table), \(ofDevice)) ON COMMIT DROP")
        try copyRows(part, source, into: "pg_temp.archived")
        let columns = ArchiveCatalog.list(
            source.manifest.columns.filter { !TableCopy.ofDevice.contains($0) })
        try session.expect(ArchiveSession.long)
        try connection.execute(
            "INSERT INTO \(table) (\(columns)) SELECT \(columns) FROM pg_temp.archived")
    }

    private func copyRows(_ part: ArchivedPart, _ source: Source, into table: String) throws {
        let manifest = source.manifest
        var seen = RowCounter(source.form)
        try session.expect(ArchiveSession.long)
        let copied = try connection.copyIn(
            "COPY \(table) (\(ArchiveCatalog.list(manifest.columns))) FROM STDIN"
                + (source.form.isCSV ? " (FORMAT csv, HEADER)" : "")
        ) { write in
            let found = try ArchiveReader.read(source.name, in: source.store, source.form) {
                piece in
                try write(piece)
                seen.add(piece)
                connection.deadline = .now + ArchiveSession.long
                progress(part.partition, seen.rows)
            }
            // The second reading is checked, too.
            if let damage = found.damage(expecting: manifest.facts) {
                throw ArchiveError.damaged(path: source.store.path(of: source.name), damage)
            }
        }
        guard copied == manifest.rows else {
            throw ArchiveError.rowsDiffer(
                partition: part.partition.name, counted: manifest.rows, copied: copied)
        }
    }

    private func transaction(_ body: () throws -> Void) throws {
        connection.deadline = .now + ArchiveSession.quick
        try connection.transaction(body)
    }
}
