import Postgres

/// Captures, the journal's files, and all other rows that name contents.
extension Eraser {
    private struct FileRows {
        var rows = 0
        var bytes = 0
        var objects: [ErasedObject] = []
    }

    /// Captures removed by one transaction.
    private static let captureBatch = 500
    /// Files removed by one transaction.
    private static let fileBatch = 100

    /// Files of captures that were uploaded without a user: those at the capture's own paths and
    /// those that its URLs name, unless another user's capture has that id.
    private static let captureFiles = """
        select m.path from sluice.capture c
        cross join lateral (values
            ('memories/' || c.capture_id || '/photo.jpg'),
            ('memories/' || c.capture_id || '/audio.m4a'),
            (substring(c.photo_url from '/media/(memories/[^/?#]+/[^/?#]+)$')),
            (substring(c.audio_url from '/media/(memories/[^/?#]+/[^/?#]+)$'))) p (path)
        join sluice.media_file m on m.path = p.path
        where c.user_id = $1 and (m.user_id is null or m.user_id = $1)
            and not exists (
                select from sluice.capture o
                where o.capture_id = split_part(m.path, '/', 2) and o.user_id <> $1)
        """

    /// For a dry run: counts all rows of `media_file` that would be removed, and their contents.
    mutating func countFiles(_ isOld: (ErasedObject) throws -> Bool) throws {
        let condition = Self.isOfUser("r")
        try count("sluice.media_file", where: condition)
        startStatement()
        let rows = try connection.query(
            """
            select r.object, max(r.bytes),
                exists (select from sluice.media_file o
                    where o.object = r.object and not coalesce(\(Self.isOfUser("o")), false))
            from sluice.media_file r where \(condition) group by r.object
            """, userParameter)
        for row in 0..<rows.count {
            let object = ErasedObject(name: rows.string(row, 0), bytes: Int(rows.int64(row, 1)))
            if rows.bool(row, 2) {
                report.files.shared += 1
            } else {
                report.files.count(object, isRemoved: try isOld(object))
            }
        }
    }

    /// A condition on a row of `media_file`; it may be null for a row without a user.
    static func isOfUser(_ row: String) -> String {
        """
        (\(row).user_id = $1 or \(row).path in (\(captureFiles)) or \(row).path in (
            select f.path from sluice.journal_file f where f.user_id = $1
            union all
            select t.path from sluice.journal_thumbnail t
            join sluice.journal_file f on f.file_id = t.file_id where f.user_id = $1))
        """
    }

    mutating func removeCaptures(_ removeFile: FileRemoval) throws {
        progress("sluice.capture")
        var removed = 0
        repeat {
            startStatement()
            let files: FileRows
            let captures: Rows
            (files, captures) = try connection.transaction(attempts: Self.attemptsMax) {
                var parameters = userParameter
                let chosen = try connection.query(
                    """
                    select capture_id from sluice.capture where user_id = $1
                    order by capture_id limit \(Self.captureBatch) for update
                    """, parameters)
                parameters.append(
                    texts: (0..<chosen.count).map { Optional(chosen.string($0, 0)) })
                let files = try fileRows(
                    "d.path in (\(Self.captureFiles) and c.capture_id = any ($2))", parameters)
                let captures = try connection.query(
                    Self.removal(
                        from: "sluice.capture",
                        where: "d.user_id = $1 and d.capture_id = any ($2)"), parameters)
                return (files, captures)
            }
            removed = gone("sluice.capture", captures)
            gone("sluice.media_file", files.rows, bytes: files.bytes)
            try removeContents(files.objects, removeFile)
        } while removed == Self.captureBatch
    }

    mutating func removeJournalFiles(_ removeFile: FileRemoval) throws {
        progress("sluice.journal_file")
        while true {
            startStatement()
            let chosen = try connection.query(
                """
                select file_id from sluice.journal_file where user_id = $1
                order by file_id limit \(Self.fileBatch)
                """, userParameter)
            guard chosen.count > 0 else { return }
            var parameters = Parameters()
            parameters.append(texts: (0..<chosen.count).map { Optional(chosen.string($0, 0)) })
            let (found, removed) = try connection.transaction(attempts: Self.attemptsMax) {
                // Takes the locks of the function below, so that a concurrent thumbnail job waits.
                try connection.query(
                    """
                    select from sluice.journal_file where file_id = any ($1)
                    order by file_id for update
                    """, parameters)
                let found = try connection.query(
                    """
                    select m.object, m.bytes, f.is_thumbnail, f.size, pg_column_size(m.*)
                    from sluice.media_file m
                    join (
                        select path, false, pg_column_size(j.*) from sluice.journal_file j
                        where file_id = any ($1)
                        union all
                        select path, true, pg_column_size(t.*) from sluice.journal_thumbnail t
                        where file_id = any ($1)
                    ) f (path, is_thumbnail, size) on f.path = m.path
                    """, parameters)
                return (
                    found,
                    try connection.query("select sluice.remove_journal_files($1)", parameters)
                )
            }
            // 0: another process has just removed them.
            guard removed.int64(0, 0) > 0 else { continue }
            for row in 0..<found.count {
                gone(
                    found.bool(row, 2) ? "sluice.journal_thumbnail" : "sluice.journal_file", 1,
                    bytes: Int(found.int32(row, 3)))
                gone("sluice.media_file", 1, bytes: Int(found.int32(row, 4)))
            }
            try removeContents(Self.objects(found), removeFile)
        }
    }

    mutating func removeMediaFiles(_ removeFile: FileRemoval) throws {
        progress("sluice.media_file")
        var removed = 0
        repeat {
            startStatement()
            let files = try connection.transaction(attempts: Self.attemptsMax) {
                try fileRows(
                    """
                    d.path in (
                        select m.path from sluice.media_file m where m.user_id = $1
                            and not exists (
                                select from sluice.journal_file j where j.path = m.path)
                            and not exists (
                                select from sluice.journal_thumbnail t where t.path = m.path)
                        limit \(Self.fileBatch))
                    """, userParameter)
            }
            removed = files.rows
            gone("sluice.media_file", files.rows, bytes: files.bytes)
            try removeContents(files.objects, removeFile)
        } while removed == Self.fileBatch
    }

    // MARK: -

    /// Removes rows that name contents; returns what they named.
    private func fileRows(
        _ condition: String, _ parameters: Parameters
    ) throws(PostgresError) -> FileRows {
        let rows = try connection.query(
            """
            delete from sluice.media_file d where \(condition)
            returning d.object, d.bytes, pg_column_size(d.*)
            """, parameters)
        var found = FileRows()
        found.rows = rows.count
        found.bytes = (0..<rows.count).reduce(0) { $0 + Int(rows.int32($1, 2)) }
        found.objects = Self.objects(rows)
        return found
    }

    private static func objects(_ rows: Rows) -> [ErasedObject] {
        var seen: Set<String> = []
        return (0..<rows.count).compactMap { row in
            let name = rows.string(row, 0)
            return seen.insert(name).inserted
                ? ErasedObject(name: name, bytes: Int(rows.int64(row, 1))) : nil
        }
    }

    /// Removes contents that no row names any more. Called after the commit.
    private mutating func removeContents(
        _ objects: [ErasedObject], _ removeFile: FileRemoval
    ) throws {
        guard !objects.isEmpty else { return }
        startStatement()
        var parameters = Parameters()
        parameters.append(texts: objects.map { Optional($0.name) })
        let rows = try connection.query("select sluice.media_objects_named($1)", parameters)
        let named = Set((0..<rows.count).map { rows.string($0, 0) })
        for object in objects {
            if named.contains(object.name) {
                sharedObjects.insert(object.name)
            } else {
                sharedObjects.remove(object.name)
                report.files.count(object, isRemoved: remove(object, removeFile))
            }
        }
        report.files.shared = sharedObjects.count
    }

    /// - Returns: false if the server's sweep has to remove it, because it is too new or the store
    ///   failed.
    private mutating func remove(_ object: ErasedObject, _ removeFile: FileRemoval) -> Bool {
        guard fileFailures < Self.fileFailuresMax else { return false }
        do {
            return try removeFile(object)
        } catch {
            fileFailures += 1
            report.failures.append("file \(object.name): \(error)")
            return false
        }
    }

    /// Failures after which the store, not a file, is to blame; the others are left to the sweep.
    private static let fileFailuresMax = 10
}
