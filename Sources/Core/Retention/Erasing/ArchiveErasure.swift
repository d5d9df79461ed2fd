import Postgres

/// Erases devices from the archive files.
///
/// A file with rows of the devices is rewritten under another name and read back. `sluice.archive`
/// then names the new file, and the old one is removed. After a crash the row names a whole file;
/// the next call removes the part's other files. Files that a crash left without a row and without a
/// manifest are removed too: nobody knows whose rows they have.
public struct ArchiveErasure {
    /// The result for all files.
    public struct Report: Sendable {
        /// Files that were read.
        public internal(set) var filesRead = 0
        /// Files that held rows of the devices.
        public internal(set) var filesRewritten = 0
        /// Rows of the devices.
        public internal(set) var rowsRemoved = 0
        /// Files that could not be read or written, and so may still hold such rows.
        public internal(set) var failures: [(file: String, reason: String)] = []

        init() {}
    }

    private let session: ArchiveSession
    private let archive: Archive

    /// Erases from the files of `archive`.
    public init(_ session: ArchiveSession, _ archive: Archive) {
        self.session = session
        self.archive = archive
    }

    /// Processes all files; an error of one does not stop the others.
    ///
    /// - Throws: if the connection to the database breaks.
    public func erase(deviceKeys: Set<Int64>) throws -> Report {
        var report = Report()
        let lock = try archive.claim(session)
        defer { withExtendedLifetime(lock) {} }
        try session.expect(ArchiveSession.quick)
        let parts = try ArchiveCatalog.parts(on: session.connection)
        do throws(ArchiveError) {
            try archive.removeLeftovers(known: parts)
        } catch {
            report.failures.append((archive.location, "\(error)"))
        }
        for part in parts {
            do {
                try archive.removeOthers(of: part)
                guard let file = part.file else { continue }
                let removed = try erase(deviceKeys, from: part, file)
                report.filesRead += 1
                report.filesRewritten += removed > 0 ? 1 : 0
                report.rowsRemoved += removed
            } catch let error as ArchiveError {
                report.failures.append((part.file ?? part.partition.name, "\(error)"))
                // The other files can't be read either.
                if error.isUnreachable { break }
            } catch let error as PostgresError where error.kind == .refused {
                try session.connection.rollback()
                report.failures.append((part.file ?? part.partition.name, "\(error)"))
            }
        }
        return report
    }

    private func erase(
        _ keys: Set<Int64>, from part: ArchivedPart, _ file: String
    ) throws -> Int {
        let manifest = try ArchiveVerification(archive).verify(part)
        let form = Archive.form(of: file)
        var filter = LineFilter(keys: keys, form)
        // Most files hold no such rows, and reading takes a tenth of the time of writing.
        _ = try ArchiveReader.read(file, in: archive.store, form) { try filter.take($0) { _ in } }
        guard filter.dropped > 0 else { return 0 }
        if filter.dropped == manifest.rows {
            try note(part, nil)
        } else {
            try note(part, try rewrite(manifest, without: keys))
        }
        try archive.remove(file, id: part.id)
        return filter.dropped
    }

    private func rewrite(_ manifest: Manifest, without keys: Set<Int64>) throws -> Manifest {
        var next = manifest
        next.file = Archive.nextName(after: manifest.file)
        do {
            // Closed before it is read back: some file systems store a file only then.
            let writer = try archive.begin(next.file, id: manifest.id)
            let form = Archive.form(of: manifest.file)
            var filter = LineFilter(keys: keys, form)
            let found = try ArchiveReader.read(manifest.file, in: archive.store, form) {
                try filter.take($0) { try writer.append($0) }
            }
            if let damage = found.damage(expecting: manifest.facts) {
                throw ArchiveError.damaged(path: archive.path(of: manifest.file), damage)
            }
            let facts = try writer.finish()
            guard facts.rows + filter.dropped == manifest.rows else {
                throw ArchiveError.rowsDiffer(
                    partition: manifest.file, counted: manifest.rows - filter.dropped,
                    copied: facts.rows)
            }
            next.set(facts)
            try archive.adopt(writer, next)
        }
        return try archive.verify(next.file, id: manifest.id)
    }

    /// - Parameter manifest: the new file's; nil: no rows remain.
    private func note(_ part: ArchivedPart, _ manifest: Manifest?) throws {
        var parameters = ArchiveCatalog.key(of: part)
        parameters.append(text: manifest?.file)
        parameters.append(int8: Int64(manifest?.rows ?? 0))
        parameters.append(int8: manifest.map { Int64($0.bytes) })
        parameters.append(int8: manifest.map { Int64($0.textBytes) })
        parameters.append(bytea: manifest.map { $0.facts.sha256 })
        try session.expect(ArchiveSession.quick)
        try session.connection.query(
            """
            UPDATE sluice.archive
            SET file = $4, rows = $5, bytes = $6, text_bytes = $7, sha256 = $8, changed_at = now()
            WHERE kind = $1 AND day = $2 AND part = $3
            """, parameters)
    }
}
